import { describe, expect, it } from 'vitest';

import { moneyProblemOf, type Money } from '../../../src/dashboard/home/moneyProblem.js';

interface Facts {
  readonly debt?: string;
  readonly runwayDays?: number | null;
  /** What is left in each bucket that pays for jobs and storage. */
  readonly left?: readonly [master: string, creative: string, cloud: string];
  readonly warnBelow?: string | null;
}

/** A wallet without a problem, but for the given facts. */
function money({ debt = '0', runwayDays = null, left = ['10', '20', '30'], warnBelow = null }: Facts): Money {
  const [master, creative, cloud] = left;
  return {
    wallet: { debt, master, creative, cloud, lowBalanceWarning: warnBelow },
    storage: { runwayDays },
  } as Money;
}

describe('the problem with the wallet', () => {
  it.each<[string, Facts, string | null]>([
    ['none', {}, null],
    ['debt', { debt: '-0.000001' }, 'debt'],
    ['debt before all others', { debt: '-1', runwayDays: 0, warnBelow: '1000' }, 'debt'],
    ['storage that is funded for less than two weeks', { runwayDays: 13 }, 'runway'],
    ['storage that is not funded beyond today', { runwayDays: 0 }, 'runway'],
    ['none with two weeks of storage', { runwayDays: 14 }, null],
    ['none if nothing is stored', { runwayDays: null }, null],
    ['short storage before a low balance', { runwayDays: 13, warnBelow: '1000' }, 'runway'],
    ['a low balance', { runwayDays: 14, warnBelow: '60.000001' }, 'low'],
    ['none exactly at the threshold', { warnBelow: '60' }, null],
    ['none without a threshold', { left: ['0', '0', '0'] }, null],
  ])('is %s', (_, facts, problem) => {
    expect(moneyProblemOf(money(facts))).toBe(problem);
  });
});
