import type { BetterAuthOptions } from 'better-auth';
import { twoFactor } from 'better-auth/plugins';

/** Shown by authenticator apps beside the code. */
const ISSUER = 'Dhara';

/**
 * The part of better-auth's options that decides its tables: migrations and the running service must agree on it.
 * Ids are UUIDs that PostgreSQL makes; an account has the id of its user.
 */
export function identitySchema() {
  return {
    appName: ISSUER,
    advanced: { database: { generateId: 'uuid' } },
    // Counted in the database, so that several processes share one count.
    rateLimit: { storage: 'database' },
    plugins: [twoFactor({ issuer: ISSUER })],
  } satisfies BetterAuthOptions;
}
