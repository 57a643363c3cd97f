import type { BetterAuthOptions } from 'better-auth';
import { twoFactor } from 'better-auth/plugins';

import { secondFactorOfSession } from './secondFactorOfSession.js';
import { totpOnce } from './totpOnce.js';

/** Shown by authenticator apps beside the code. */
const ISSUER = 'Dhara';

/** More is no code, however it is spaced. */
const MAX_REFERRAL_CODE_LENGTH = 64;

/**
 * Given at sign-up and read by the trigger that opens the account (db/migrate.ts); never shown again. What cannot be a
 * code is left out rather than refused: nobody loses a sign-up over it.
 */
const REFERRAL_CODE = {
  type: 'string',
  required: false,
  input: true,
  returned: false,
  transform: {
    input: (given: unknown) =>
      typeof given === 'string' && given.length <= MAX_REFERRAL_CODE_LENGTH && /^[\w\s-]+$/.test(given) ? given : null,
  },
} as const;

/**
 * The part of better-auth's options that decides its tables: migrations and the running service must agree on it.
 * Ids are UUIDs that PostgreSQL makes; an account has the id of its user.
 */
export function identitySchema() {
  return {
    appName: ISSUER,
    // Counted in the database, so that several processes share one count.
    rateLimit: { storage: 'database' },
    user: { additionalFields: { referralCode: REFERRAL_CODE } },
    plugins: [twoFactor({ issuer: ISSUER }), totpOnce(), secondFactorOfSession()],
    telemetry: { enabled: false },
  } satisfies BetterAuthOptions;
}

/** better-auth's `advanced.database`: it cannot be part of the above, whose `advanced` the service extends. */
export const IDENTITY_DATABASE = { generateId: 'uuid', validateSchema: false } as const;
