import { AsyncLocalStorage } from 'node:async_hooks';

import { betterAuth } from 'better-auth';
import pg from 'pg';

import { connectionTo } from '../../db/connection.js';
import { AppError } from '../../errors.js';
import type { Logger } from '../../logger.js';
import type { Identity, IdentityEvents, IdentityRequests } from '../../ports/identity.js';
import type { Mailer } from '../../ports/mailer.js';
import { LetterWriter } from '../mail/emails/emailWriter.js';
import { Attempts } from './attempts.js';
import { createUser } from './createUser.js';
import { IdentityEmails } from './identityEmails.js';
import { isPassword } from './isPassword.js';
import { KnownDevices } from './knownDevice.js';
import { IdentityLimits } from './limits.js';
import { Links } from './links.js';
import { CLIENT_ADDRESS_HEADER, deviceCookieName } from './names.js';
import { authOptions } from './options.js';
import { cookieOf, createUserLookup, createViewerLookup } from './viewerOf.js';

const CONNECT_TIMEOUT_MS = 5_000;

export interface IdentityOptions {
  /** PostgreSQL address with the role of the running service. */
  readonly runtimeUrl: string;
  /** Signs cookies and encrypts TOTP secrets. At least 32 random characters, the same in every process. */
  readonly secret: string;
  /** The origin that browsers use, without a path. */
  readonly publicUrl: string;
  readonly mailer: Mailer;
  readonly events: IdentityEvents;
  readonly logger: Logger;
  readonly maxConnections?: number;
  /** The address of a user who cannot change it. */
  readonly fixedAddress?: string;
}

export interface IdentityService extends Identity {
  readonly requests: IdentityRequests;
  /** Resolves when no emails are being sent any more. */
  settled(): Promise<void>;
  /** Waits until emails are sent, then closes the connections. */
  close(): Promise<void>;
}

/** Users, passwords, TOTP and sessions: better-auth in schema `auth`, with its own small pool. */
export function createIdentity(options: IdentityOptions): IdentityService {
  const publicUrl = new URL(options.publicUrl).origin;
  const { secret, logger, mailer, events, fixedAddress } = options;
  const pool = new pg.Pool({
    ...connectionTo(options.runtimeUrl, { search_path: 'auth' }),
    max: options.maxConnections ?? 5,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  // Without a listener, an idle connection that dies would crash the process.
  pool.on('error', (error) => logger.warn({ err: error }, 'identity database connection lost'));

  // better-auth passes its transaction on through async context. Work that continues after the response must not use
  // it.
  const outside = AsyncLocalStorage.snapshot();
  const links = new Links(pool);
  const devices = new KnownDevices(secret);
  const limits = new IdentityLimits(new Attempts(pool), devices);
  const emails: IdentityEmails = new IdentityEmails({
    maySend: (email, kind) => limits.maySend(email, kind),
    keepConfirmation: (userId, link) => outside(() => links.keepConfirmation(userId, link)),
    mailer,
    writer: new LetterWriter(publicUrl),
    publicUrl,
    logger,
    requestPasswordReset: async (email) => {
      await outside(() => auth.api.requestPasswordReset({ body: { email } }));
    },
  });
  const auth = betterAuth(
    authOptions({ pool, secret, publicUrl, emails, links, devices, limits, events, logger, fixedAddress }),
  );

  const viewerOf = createViewerLookup({ pool, secret, publicUrl });
  const viewerOfUser = createUserLookup(pool);

  return {
    requests: {
      admit: ({ cookie, ...attempt }) =>
        limits.admit({ ...attempt, device: cookieOf(cookie, deviceCookieName(publicUrl)) ?? undefined }),
      answer: (request, network) => {
        request.headers.set(CLIENT_ADDRESS_HEADER, network);
        return auth.handler(request);
      },
    },
    viewerOf,
    viewerOfUser,
    provePassword: async (userId, password) => {
      await limits.admitPassword(userId);
      if (!(await isPassword(pool, userId, password))) throw new AppError('INVALID_INPUT', 'This password is wrong.');
    },
    createUser: (user) => createUser(pool, user),
    settled: () => emails.settled(),
    close: async () => {
      await emails.settled();
      await pool.end();
    },
  };
}
