import type { Sql } from '../db/sql.js';
import { AppError } from '../errors.js';

/** What an access token may do besides reading: change videos, keys and settings; move and spend credits. */
export type AccessTokenScope = 'read' | 'manage' | 'money';

/** Who sends the request. Never cached, so a revocation or suspension takes effect with the next request. */
export interface Viewer {
  readonly userId: string;
  /** The session of the request; `null` if it used an access token. */
  readonly sessionId: string | null;
  /** The access token of the request; `null` if it used a session. */
  readonly accessToken: { readonly id: string; readonly scopes: readonly AccessTokenScope[] } | null;
  readonly email: string;
  readonly emailVerified: boolean;
  readonly name: string;
  readonly twoFactorEnabled: boolean;
  /** Whether this session has passed two-factor authentication; false if it is turned off. */
  readonly twoFactorPassed: boolean;
  /** The account that everything the viewer does belongs to. */
  readonly accountId: string;
  /** In test mode, `accountId` is that of the viewer's test account. */
  readonly mode: 'live' | 'test';
  readonly role: 'owner' | 'support';
  /** A suspended viewer may read but change nothing. */
  readonly suspended: boolean;
  /**
   * A member of staff who looks at this account as its owner sees it, and may only read. All else of the viewer is the
   * owner's; `sessionId` is `null`. `null` for everybody else.
   */
  readonly view: OwnerView | null;
}

/**
 * Requires that the session has passed the second factor, if its user has one. A session may have begun without it: before
 * it was switched on, or on a trusted device.
 *
 * @throws TWO_FACTOR_REQUIRED
 */
export function assertSecondFactor(viewer: Viewer): void {
  if (!viewer.twoFactorEnabled || viewer.twoFactorPassed) return;
  throw new AppError('TWO_FACTOR_REQUIRED', 'Enter a code from your authenticator app first.');
}

export interface OwnerView {
  readonly id: string;
  readonly staffId: string;
  readonly staffEmail: string;
  readonly endsAt: Date;
  /** Not negative. */
  readonly secondsLeft: number;
  /** Its time has passed, or it is no longer allowed: the session can only end it. */
  readonly isOver: boolean;
}

export interface NewUser {
  readonly email: string;
  readonly password: string;
  readonly name: string;
  /** True if the address needs no verification, for example for a demo user. */
  readonly emailVerified: boolean;
}

/** The part of a request that identifies its sender. Fits the request type of any server. */
export interface WithCookies {
  readonly headers: { readonly cookie?: string | undefined };
}

/** What identity tells the rest of the service. */
export interface IdentityEvents {
  /**
   * A user chooses a new password by an emailed link: `reset` sets it and returns whose it is, or `null` for an unknown link.
   * Anyone who had the old one may have created other ways in, which end in the same transaction.
   */
  resetPassword<User extends { readonly id: string }>(reset: (sql: Sql) => Promise<User | null>): Promise<User | null>;
  /** Somebody has signed in with a browser that was not used for the account before. */
  newSignIn(signIn: NewSignIn): Promise<void>;
}

export interface NewSignIn {
  readonly userId: string;
  readonly sessionId: string;
  /** For people, such as "Firefox on Windows". */
  readonly device: string;
  readonly network: string | null;
}

/** Where the requests below are mounted. */
export const IDENTITY_PATH = '/api/auth';

/** A request to sign up, sign in, or change how one signs in. */
export interface IdentityAttempt {
  /** Below `IDENTITY_PATH`. */
  readonly path: string;
  /** As Express determines it, behind trusted proxies. */
  readonly address: string;
  readonly email: string | null;
  /** The request's cookies. */
  readonly cookie: string | undefined;
  /** The user of the request's session. */
  readonly userId: () => Promise<string | null>;
}

/** Too many attempts, with the time until the next one is allowed. */
export class TooManyAttempts extends AppError {
  constructor(readonly retryAfterSeconds: number) {
    super('RATE_LIMIT_EXCEEDED', 'Too many attempts. Please try again later.');
    this.name = 'TooManyAttempts';
  }
}

/** What serves the requests of people who sign up, sign in, and change how they do. */
export interface IdentityRequests {
  /** Counts an attempt, before anything else is done. @throws TooManyAttempts */
  admit(attempt: IdentityAttempt): Promise<void>;
  /** @param network the caller's, as in `networkOf` */
  answer(request: Request, network: string): Promise<Response>;
}

/** Users, their passwords and their sessions. */
export interface Identity {
  /**
   * Returns the viewer of this request, or `null` for nobody. Queries the database each time.
   * @throws SERVICE_UNAVAILABLE if the database is unavailable
   */
  viewerOf(req: WithCookies): Promise<Viewer | null>;
  /**
   * Returns the user with this id, as if signed in but without a session, or `null`. Queries the database each time.
   * @throws SERVICE_UNAVAILABLE if the database is unavailable
   */
  viewerOfUser(userId: string): Promise<Viewer | null>;
  /**
   * Checks a signed-in user's password once more, for what cannot be undone.
   * @throws INVALID_INPUT for a wrong password; RATE_LIMIT_EXCEEDED after too many
   */
  provePassword(userId: string, password: string): Promise<void>;
  /**
   * Creates a user with an account, or finds the one with this address and leaves its password unchanged. Returns its
   * id.
   */
  createUser(user: NewUser): Promise<string>;
}
