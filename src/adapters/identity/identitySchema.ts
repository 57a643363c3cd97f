import type { BetterAuthOptions } from 'better-auth';
import { twoFactor } from 'better-auth/plugins';

import { secondFactorOfSession } from './secondFactorOfSession.js';
import { totpOnce } from './totpOnce.js';

/** Shown by authenticator apps beside the code. */
const ISSUER = 'Dhara';

/** Longer input cannot be a code, however it is spaced. */
const MAX_REFERRAL_CODE_LENGTH = 64;

/**
 * Given at sign-up and read by the trigger that opens the account (db/migrate.ts); never returned. Input that cannot be
 * a code is dropped rather than refused, so that it never fails a sign-up.
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
 * PostgreSQL creates the UUIDs; an account has the id of its user.
 */
export function identitySchema() {
  return {
    appName: ISSUER,
    // Counted in the database, so that all processes share one count.
    rateLimit: { storage: 'database' },
    user: { additionalFields: { referralCode: REFERRAL_CODE } },
    plugins: [twoFactor({ issuer: ISSUER }), totpOnce(), secondFactorOfSession()],
    telemetry: { enabled: false },
  } satisfies BetterAuthOptions;
}

/** better-auth's `advanced.database`. Not part of the options above, because the service extends their `advanced`. */
export const IDENTITY_DATABASE = { generateId: 'uuid', validateSchema: false } as const;
