import { expect, it } from 'vitest';

import { KnownQuotas } from '../../../src/domain/playback/knownQuotas.js';
import { GrantedTokens } from '../../../src/domain/playback/grantedTokens.js';
import { MintRefusal } from '../../../src/domain/playback/quota.js';

const DAY = 1_790_000_000 - (1_790_000_000 % 86_400);

function refusedAt(secondOfDay: number): MintRefusal {
  const row = {
    account_id: 'a',
    key_id: 'k',
    revoked: false,
    suspended: false,
    ahead: false,
    daily_limit: 5,
    used: 5,
    states: '',
  };
  const refusal = new GrantedTokens({ ...row, day_epoch: DAY, now_epoch: DAY + secondOfDay }, new Map()).next(null);
  if (!(refusal instanceof MintRefusal)) throw new Error('A used-up key was not refused.');
  return refusal;
}

it.each([
  [0, 86_400],
  [0.001, 86_400],
  [86_398.5, 2],
  [86_399, 1],
  [86_399.25, 1],
  [86_399.999_999, 1],
])('a 429 in second %d of its day says to retry after %d s', (second, retryAfter) => {
  const { code, quota, retryAfterSeconds } = refusedAt(second);
  expect([code, retryAfterSeconds]).toEqual(['RATE_LIMIT_EXCEEDED', retryAfter]);
  expect(quota).toEqual({ limit: 5, remaining: 0, resetEpochSeconds: DAY + 86_399 });
});

it('a known quota is full again after its day, and known quotas are bounded and forgotten with their keys', () => {
  const known = new KnownQuotas(2);
  const [one, two, three] = ['1', '2', '3'].map((text) => Buffer.from(text.repeat(32)));
  const quota = { limit: 5, remaining: 1, resetEpochSeconds: DAY + 86_399 };
  known.learn(one!, quota);
  expect(known.of(one!, DAY + 86_399)).toEqual(quota);
  const tomorrow = { limit: 5, remaining: 5, resetEpochSeconds: DAY + 2 * 86_400 - 1 };
  expect(known.of(one!, DAY + 86_400)).toEqual(tomorrow);
  expect(known.of(one!, DAY + 86_401)).toEqual(tomorrow);
  known.learn(two!, quota);
  known.learn(three!, quota);
  expect([known.of(one!, DAY), known.of(three!, DAY)]).toEqual([null, quota]);
  known.learn(three!, null);
  expect(known.of(three!, DAY)).toBeNull();
});
