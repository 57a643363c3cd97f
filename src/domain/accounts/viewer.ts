import type { AccountRole } from './account.entity.js';

/** Who is asking, as of this very request: nothing of it is cached, so a revocation or suspension counts at once. */
export interface Viewer {
  readonly userId: string;
  readonly email: string;
  readonly emailVerified: boolean;
  readonly name: string;
  readonly twoFactorEnabled: boolean;
  /** The account that everything the viewer does belongs to. */
  readonly accountId: string;
  readonly role: AccountRole;
  /** A suspended viewer may look, and change nothing. */
  readonly suspended: boolean;
}
