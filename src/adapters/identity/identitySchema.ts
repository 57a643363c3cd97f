import type { BetterAuthOptions } from 'better-auth';
import { twoFactor } from 'better-auth/plugins';

import { totpOnce } from './totpOnce.js';

/** Shown by authenticator apps beside the code. */
const ISSUER = 'Dhara';

/**
 * The part of better-auth's options that decides its tables: migrations and the running service must agree on it.
 * Ids are UUIDs that PostgreSQL makes; an account has the id of its user.
 */
export function identitySchema() {
  return {
    appName: ISSUER,
    // Counted in the database, so that several processes share one count.
    rateLimit: { storage: 'database' },
    plugins: [twoFactor({ issuer: ISSUER }), totpOnce()],
    telemetry: { enabled: false },
  } satisfies BetterAuthOptions;
}

/** better-auth's `advanced.database`: it cannot be part of the above, whose `advanced` the service extends. */
export const IDENTITY_DATABASE = { generateId: 'uuid', validateSchema: false } as const;
