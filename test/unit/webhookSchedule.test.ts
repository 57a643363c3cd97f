import { expect, it } from 'vitest';

import { MAX_ATTEMPTS, pauseSeconds, retrySeconds } from '../../src/domain/accounts/webhooks/schedule.js';

const HOUR = 3_600;
const waits = (random: number): number[] =>
  Array.from({ length: MAX_ATTEMPTS - 1 }, (_, failed) => retrySeconds(failed + 1, () => random)!);

it('a webhook is attempted ten times in three days, and each wait is up to a tenth longer by chance', () => {
  expect(MAX_ATTEMPTS).toBe(10);
  expect(waits(0)).toEqual([5, 300, 1_800, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR]);
  for (const [index, seconds] of waits(1).entries()) expect(seconds).toBeCloseTo(waits(0)[index]! * 1.1);
  const days = waits(0.5).reduce((sum, seconds) => sum + seconds, 0) / (24 * HOUR);
  expect(days).toBeGreaterThan(3);
  expect(days).toBeLessThan(3.5);
  expect(retrySeconds(MAX_ATTEMPTS)).toBeNull();
  // Two that failed together do not come back together.
  expect(new Set(Array.from({ length: 50 }, () => retrySeconds(4))).size).toBeGreaterThan(40);
});

it('an endpoint that fails is asked less and less often, and at least every six minutes', () => {
  expect([1, 2, 3, 4, 5, 100].map((failures) => pauseSeconds(failures, () => 0))).toEqual([5, 20, 80, 300, 300, 300]);
  expect(pauseSeconds(9, () => 1)).toBeCloseTo(330);
});
