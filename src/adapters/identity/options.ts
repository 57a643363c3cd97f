import type { BetterAuthOptions } from 'better-auth';
import { kyselyAdapter } from '@better-auth/kysely-adapter';
import { Kysely, PostgresDialect } from 'kysely';
import type pg from 'pg';

import { execute, sqlOn, statement } from '../../db/sql.js';
import type { Logger } from '../../logger.js';
import { IDENTITY_PATH, type IdentityEvents } from '../../ports/identity.js';
import { afterSignIn } from './afterSignIn.js';
import { changeAddress } from './changeAddress.js';
import { changePassword } from './changePassword.js';
import { withHashedSessions } from './hashedSessions.js';
import { IDENTITY_DATABASE, identitySchema } from './identitySchema.js';
import type { IdentityEmails } from './identityEmails.js';
import { isPassword } from './isPassword.js';
import type { KnownDevices } from './knownDevice.js';
import type { IdentityLimits } from './limits.js';
import type { Links } from './links.js';
import { CLIENT_ADDRESS_HEADER, COOKIE_PREFIX } from './names.js';
import { resetPassword } from './resetPassword.js';
import { samePassword } from './samePassword.js';

const HOUR_S = 3600;
const MIN_PASSWORD_LENGTH = 10;

export interface AuthOptions {
  readonly pool: pg.Pool;
  readonly secret: string;
  /** Without a path. If it is https, cookies are `Secure`. */
  readonly publicUrl: string;
  readonly emails: IdentityEmails;
  readonly links: Links;
  readonly devices: KnownDevices;
  readonly limits: IdentityLimits;
  readonly events: IdentityEvents;
  readonly logger: Logger;
  readonly fixedAddress: string | undefined;
}

/**
 * better-auth, configured.
 *
 * Nobody can sign in before confirming their address. So sign-up can respond the same for known and unknown addresses,
 * and nobody can occupy an address that is not theirs. Sessions last 30 days, are not prolonged, and are never cached
 * in a cookie: ending one takes effect at once.
 */
export function authOptions(options: AuthOptions) {
  const { pool, secret, publicUrl, emails, links, devices, limits, events, logger, fixedAddress } = options;
  const sql = sqlOn(pool);
  const schema = identitySchema();
  const kysely = new Kysely<Record<string, never>>({ dialect: new PostgresDialect({ pool }) });

  /** The address of a mailbox whose owner followed a link with a request. They sign in with the same browser next. */
  const ownerOf = new WeakMap<Request, string>();

  return {
    ...schema,
    // The last two in this order, because they look at the result of a sign-in.
    plugins: [
      ...schema.plugins,
      changeAddress({
        links,
        isPassword: (userId, password) => isPassword(pool, userId, password),
        fixedAddress,
        send: (to, token) => emails.addressChange(to, token),
        onChanged: (request, email) => ownerOf.set(request, email),
      }),
      changePassword({ pool }),
      resetPassword({
        links,
        events,
        onReset: async (request, email) => {
          if (request) ownerOf.set(request, email);
          // The password is set already. Otherwise, earlier failures end by themselves.
          await limits.forgetSignIns(email).catch((error: unknown) => {
            logger.warn({ err: error }, 'identity: failed sign-ins before a reset were not forgotten');
          });
        },
      }),
      samePassword({ pool, links }),
      afterSignIn({ publicUrl, devices, limits, events, ownerOf: (request) => ownerOf.get(request) }),
    ],
    baseURL: publicUrl,
    basePath: IDENTITY_PATH,
    secret,
    trustedOrigins: sameSite(publicUrl),
    database: (own: BetterAuthOptions) =>
      withHashedSessions(kyselyAdapter(kysely, { type: 'postgres', transaction: true })(own)),
    emailAndPassword: {
      enabled: true,
      requireEmailVerification: true,
      minPasswordLength: MIN_PASSWORD_LENGTH,
      resetPasswordTokenExpiresIn: HOUR_S,
      sendResetPassword: ({ user, token }) => emails.passwordReset(user, token),
      onExistingUserSignUp: ({ user }) => emails.existingAccount(user),
    },
    emailVerification: {
      sendOnSignUp: true,
      sendOnSignIn: true,
      autoSignInAfterVerification: true,
      expiresIn: 24 * HOUR_S,
      sendVerificationEmail: ({ user, url, token }) => emails.verification(user, { url, token }),
    },
    // Links and challenges, too, are stored only as hashes.
    verification: { storeIdentifier: 'hashed' },
    session: { expiresIn: 30 * 24 * HOUR_S, disableSessionRefresh: true, cookieCache: { enabled: false } },
    databaseHooks: {
      session: {
        create: {
          after: async (session) => {
            await execute(sql, FORGET_SESSIONS, { userId: session.userId, most: MAX_SESSIONS });
          },
        },
      },
    },
    // limits.ts counts before better-auth is called, also by mailbox and account.
    rateLimit: { ...schema.rateLimit, enabled: false },
    advanced: {
      cookiePrefix: COOKIE_PREFIX,
      // Explicit, because better-auth disables both checks if NODE_ENV is `test`.
      disableOriginCheck: false,
      disableCSRFCheck: false,
      database: IDENTITY_DATABASE,
      ipAddress: { ipAddressHeaders: [CLIENT_ADDRESS_HEADER] },
    },
    // Thrown errors reach the handler, which can tell a lost database from a bug.
    onAPIError: { throw: true },
    logger: {
      level: 'warn',
      // Most of what it logs as errors are a caller's mistakes. Real errors are thrown, and logged by the handler.
      log: (level, message, ...details) => {
        logger.debug({ level, details }, `identity: ${message}`);
      },
    },
  } satisfies BetterAuthOptions;
}

const MAX_SESSIONS = 100;
/** Also removes the oldest of very many sessions, so that repeated sign-ins cannot fill the table. */
const FORGET_SESSIONS = statement<{ userId: string; most: number }>(
  'identity_forget_sessions',
  `
    delete from auth.session where "userId" = :userId and ("expiresAt" < now() or id in (
      select id from auth.session where "userId" = :userId order by "createdAt" desc, id desc offset :most))`,
);

/** On a local machine, `localhost`, `127.0.0.1` and `[::1]` are one site under three names. */
function sameSite(publicUrl: string): string[] {
  const url = new URL(publicUrl);
  const loopback = ['localhost', '127.0.0.1', '[::1]'];
  if (!loopback.includes(url.hostname)) return [url.origin];
  const port = url.port === '' ? '' : `:${url.port}`;
  return loopback.map((host) => `${url.protocol}//${host}${port}`);
}
