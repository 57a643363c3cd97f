/** What an access token may do beside reading: change videos, keys and settings; move and spend credits. */
export type AccessTokenScope = 'read' | 'manage' | 'money';

/** Who is asking, as of this very request: nothing of it is cached, so a revocation or suspension counts at once. */
export interface Viewer {
  readonly userId: string;
  /** The session the request came with; `null` where it came with an access token. */
  readonly sessionId: string | null;
  /** The access token the request came with; `null` where it came with a session. */
  readonly accessToken: { readonly id: string; readonly scopes: readonly AccessTokenScope[] } | null;
  readonly email: string;
  readonly emailVerified: boolean;
  readonly name: string;
  readonly twoFactorEnabled: boolean;
  /** Whether this very session has passed the second factor; false where it is switched off. */
  readonly twoFactorPassed: boolean;
  /** The account that everything the viewer does belongs to. */
  readonly accountId: string;
  readonly role: 'owner' | 'support';
  /** A suspended viewer may look, and change nothing. */
  readonly suspended: boolean;
}

export interface NewUser {
  readonly email: string;
  readonly password: string;
  readonly name: string;
  /** True where nobody needs to prove the address, as with a demo user. */
  readonly emailVerified: boolean;
}

/** What of a request says who sends it: any server's request will do. */
export interface WithCookies {
  readonly headers: { readonly cookie?: string | undefined };
}

/** Users, their passwords and their sessions. */
export interface Identity {
  /**
   * Who sends this request; `null` for nobody. Asks the database each time.
   * @throws SERVICE_UNAVAILABLE where the database is away.
   */
  viewerOf(req: WithCookies): Promise<Viewer | null>;
  /**
   * The user of this id, as if signed in without a session; `null` if there is none. Asks the database each time.
   * @throws SERVICE_UNAVAILABLE where the database is away.
   */
  viewerOfUser(userId: string): Promise<Viewer | null>;
  /** Makes a user with an account, or finds the one with this address (and leaves its password alone). Returns its id. */
  createUser(user: NewUser): Promise<string>;
}
