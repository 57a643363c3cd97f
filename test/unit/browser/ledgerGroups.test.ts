import { describe, expect, it } from 'vitest';

import type { LedgerRowFragment } from '../../../src/dashboard/generated/graphql.js';
import {
  accountsOf,
  changeOf,
  groupsOf,
  isComplete,
  wholePostings,
} from '../../../src/dashboard/wallet/ledger/ledgerGroups.js';

type Part = readonly [account: LedgerRowFragment['account'], amount: string];

let made = 0;
/** One posting, newest first in the ledger; of a job, if it has an attempt. */
function posting(type: LedgerRowFragment['type'], parts: readonly Part[], attempt?: number): LedgerRowFragment[] {
  made += 1;
  const cause =
    attempt === undefined
      ? ({ __typename: 'AdjustmentCause', reason: 'r' } as const)
      : ({ __typename: 'VideoCause', videoId: 'vid_1', title: 'River', attempt } as const);
  return parts.map(([account, amount]) => ({
    __typename: 'LedgerEntry',
    id: `${made}:${account}`,
    transactionId: `tx ${made}`,
    type,
    account,
    amount,
    balanceAfter: '0',
    reference: null,
    createdAt: '2026-11-26T00:00:00Z',
    cause,
  }));
}

const lock = (attempt: number) =>
  posting(
    'ESCROW_LOCK',
    [
      ['ESCROW', '2'],
      ['CREATIVE', '-2'],
    ],
    attempt,
  );
const settle = (attempt: number) =>
  posting(
    'ESCROW_SETTLE',
    [
      ['ESCROW', '-2'],
      ['CREATIVE', '0.5'],
    ],
    attempt,
  );

describe('the rows of the ledger', () => {
  it('are one per job, at its newest posting, whatever lies between, and one per other posting', () => {
    const topUp = posting('TOPUP', [['MASTER', '100']]);
    const groups = groupsOf([...settle(1), ...topUp, ...lock(2), ...lock(1)]);
    expect(groups.map(({ entries }) => entries.map(({ type }) => type))).toEqual([
      ['ESCROW_SETTLE', 'ESCROW_SETTLE', 'ESCROW_LOCK', 'ESCROW_LOCK'],
      ['TOPUP'],
      ['ESCROW_LOCK', 'ESCROW_LOCK'],
    ]);
  });

  it('show what a job cost, also before its older postings have been read', () => {
    const paid = settle(1);
    for (const entries of [paid, [...paid, ...lock(1)]]) {
      const [group] = groupsOf(entries);
      expect(changeOf(group!)).toEqual({ micros: -1_500_000n, isMove: false });
      expect(accountsOf(group!)).toEqual(['CREATIVE']);
    }
    expect(groupsOf(paid).map(isComplete)).toEqual([false]);
    expect(groupsOf([...paid, ...lock(1)]).map(isComplete)).toEqual([true]);
  });

  it('show what was only moved, without a sign', () => {
    const [moved] = groupsOf(
      posting('ALLOCATION', [
        ['CREATIVE', '5'],
        ['MASTER', '-5'],
      ]),
    );
    expect(changeOf(moved!)).toEqual({ micros: 5_000_000n, isMove: true });
    expect(accountsOf(moved!)).toEqual(['MASTER', 'CREATIVE']);
    expect(changeOf(groupsOf(lock(1))[0]!)).toEqual({ micros: 2_000_000n, isMove: true });
  });

  it('do not include a posting of which the next page has more', () => {
    const [whole, cut] = [posting('TOPUP', [['MASTER', '1']]), settle(1)];
    expect(wholePostings([...whole, cut[0]!], true)).toEqual(whole);
    expect(wholePostings([...whole, cut[0]!], false)).toHaveLength(2);
    expect(wholePostings([], true)).toEqual([]);
    expect(wholePostings(cut, true)).toEqual([]);
  });
});
