import type { Sql } from '../../db/sql.js';
import { findKeyTime, testClockOf } from '../accounts/testMode/testFacts.js';
import type { PlaybackClaims } from './playbackToken.js';
import { TOKEN_LIFETIME_SECONDS } from './signingKeys.js';

/** How much longer than others tokens of a key with TOKENS_LIVE_ON can be exchanged. Their streams end later than that. */
const LIVES_ON_SECONDS = 3_600;

/** Only keys that say so can belong to a test account, so a live key costs no query. */
const TEST_KEY = /^dk_test_/;

/** What differs in a token of a test account. */
export interface TestToken {
  /** How old it is when it is created. */
  readonly ageSeconds: number;
  /** By how much its account's clock was moved. The token says so, and expires when it is moved further. */
  readonly clockSeconds: number;
}

/** `null` for a token of a live account. */
export async function testTokenOf(
  sql: Sql,
  apiKey: string,
  { accountId, keyId }: { readonly accountId: string; readonly keyId: string },
): Promise<TestToken | null> {
  const time = TEST_KEY.test(apiKey) ? await findKeyTime(sql, accountId, keyId) : null;
  return (
    time && {
      ageSeconds: time.fault === 'TOKENS_EXPIRED' ? TOKEN_LIFETIME_SECONDS + 1 : 0,
      clockSeconds: time.movedSeconds + (time.fault === 'TOKENS_LIVE_ON' ? LIVES_ON_SECONDS : 0),
    }
  );
}

/**
 * The seconds that have passed in a token's test account since its creation, besides those that passed for everybody. A
 * token of a live account says nothing about a clock, and costs no query.
 */
export async function secondsMovedSince(
  sql: Sql,
  { accountId, testClockSeconds }: Pick<PlaybackClaims, 'accountId' | 'testClockSeconds'>,
): Promise<number> {
  if (testClockSeconds === null) return 0;
  return (await testClockOf(sql, accountId)).movedSeconds - testClockSeconds;
}
