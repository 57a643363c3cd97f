import type { Sql } from '../../db/sql.js';
import { findKeyTime, testClockOf } from '../accounts/testMode/testFacts.js';
import type { PlaybackClaims } from './playbackToken.js';
import { TOKEN_LIFETIME_SECONDS } from './signingKeys.js';

/** How much longer tokens of a key with TOKENS_LIVE_ON can be exchanged. Their streams end even later. */
const LIVES_ON_SECONDS = 3_600;

/** Only keys that say so can belong to a test account, so a live key costs no query. */
const TEST_KEY = /^dk_test_/;

/** What differs in a token of a test account. */
export interface TestToken {
  /** How old it is when it is created. */
  readonly ageSeconds: number;
  /** How far its account's clock was moved, as the token itself says. Moving the clock further lets it expire. */
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
 * By how many seconds the clock of a test account was moved since this token of it was created. A token of a live account
 * has no such clock, and costs no query.
 */
export async function secondsMovedSince(
  sql: Sql,
  { accountId, testClockSeconds }: Pick<PlaybackClaims, 'accountId' | 'testClockSeconds'>,
): Promise<number> {
  if (testClockSeconds === null) return 0;
  return (await testClockOf(sql, accountId)).movedSeconds - testClockSeconds;
}
