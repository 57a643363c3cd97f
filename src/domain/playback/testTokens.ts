import type { Sql } from '../../db/sql.js';
import { findKeyTime, testClockOf } from '../accounts/testMode/testFacts.js';
import type { KeyFault } from '../accounts/testMode/testFaults.js';
import type { PlaybackClaims } from './playbackToken.js';
import { TEST_TOKENS_LIVE_ON_SECONDS, TOKEN_LIFETIME_SECONDS } from './signingKeys.js';

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
  return time && tokenAt(time);
}

/** Of a preview in the dashboard. `null` for a live account. */
export async function testPreviewOf(sql: Sql, accountId: string): Promise<TestToken | null> {
  const time = await findKeyTime(sql, accountId, null);
  return time && tokenAt(time);
}

function tokenAt({ fault, movedSeconds }: { fault: KeyFault | null; movedSeconds: number }): TestToken {
  return {
    ageSeconds: fault === 'TOKENS_EXPIRED' ? TOKEN_LIFETIME_SECONDS + 1 : 0,
    clockSeconds: movedSeconds + (fault === 'TOKENS_LIVE_ON' ? TEST_TOKENS_LIVE_ON_SECONDS : 0),
  };
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
