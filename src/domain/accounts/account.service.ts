import { type Database, execute, type Sql } from '../../db/sql.js';
import { AppError } from '../../errors.js';
import { isUuid } from '../shared/ids.js';
import { checkedReason } from '../shared/reason.js';
import { parseDomains } from './allowedSites.js';
import type { AccountRole } from './account.entity.js';
import { recordAudit } from '../shared/audit.js';
import { userSession, type UserSession } from './userSession.js';
import {
  ALLOWED_DOMAINS,
  END_OTHER_SESSIONS,
  END_SESSION,
  FIND_ACCOUNTS,
  LOCK_ACCOUNT,
  OPEN_ACCOUNT,
  RESUME_ACCOUNT,
  SESSIONS,
  SET_ALLOWED_DOMAINS,
  SET_ROLE,
  SUSPEND_ACCOUNT,
  USER_BY_EMAIL,
  type LockedAccount,
  type AccountRow,
} from './account.sql.js';
import { SUSPEND_KEYS } from './keys/apiKey.sql.js';

const MAX_FOUND = 50;
const MAX_SESSIONS = 100;

/** What support sees of an account and its user. */
export interface AccountSummary {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly emailVerified: boolean;
  readonly role: AccountRole;
  readonly suspendedAt: Date | null;
  readonly suspendedReason: string | null;
  readonly createdAt: Date;
}

/** Accounts as staff and the command line handle them. */
export class AccountService {
  constructor(private readonly deps: { readonly db: Database }) {}

  /** Makes the account of a user whole: its row, its wallet, its counters. Doing it again changes nothing. */
  async ensureAccount(userId: string): Promise<void> {
    await execute(this.deps.db.sql, OPEN_ACCOUNT, { userId });
  }

  /**
   * Gives the user with this address a role, and writes it down. A role they already have is left without a trace.
   * @returns the account's id.
   * @throws ACCOUNT_NOT_FOUND where nobody has the address.
   */
  async promote(email: string, role: AccountRole): Promise<string> {
    const address = email.trim().toLowerCase();
    return this.deps.db.transaction(async ({ sql }) => {
      const [user] = await execute(sql, USER_BY_EMAIL, { address });
      if (!user) throw new AppError('ACCOUNT_NOT_FOUND', `No user has the address ${address}.`);
      await execute(sql, OPEN_ACCOUNT, { userId: user.id });
      const before = await lock(sql, user.id);
      if (before.role === role) return user.id;
      await execute(sql, SET_ROLE, { id: user.id, role });
      await recordAudit(sql, {
        accountId: user.id,
        actorId: null,
        action: 'user.promote',
        subject: address,
        reason: 'command line',
        details: { from: before.role, to: role },
      });
      return user.id;
    });
  }

  /** Accounts by id, or by a part of the e-mail address (an exact one first). At most 50. */
  async find(search: string): Promise<AccountSummary[]> {
    const text = search.trim().toLowerCase();
    if (text === '') return [];
    const id = isUuid(text) ? text : null;
    const rows = await execute(this.deps.db.sql, FIND_ACCOUNTS, { email: text, id, most: MAX_FOUND });
    return rows.map(summary);
  }

  /** @throws ACCOUNT_NOT_FOUND */
  async get(accountId: string): Promise<AccountSummary> {
    const [found] = isUuid(accountId) ? await this.find(accountId) : [];
    return found ?? notFound();
  }

  /**
   * Stops an account: its keys answer 403 from the next request on, and its user may look but change nothing.
   * Suspending a suspended account changes nothing, the first reason included.
   * @throws ACCOUNT_NOT_FOUND; INVALID_INPUT without a reason.
   */
  suspend(accountId: string, actorId: string, reason: string): Promise<void> {
    return this.setSuspended(true, { accountId, actorId, reason });
  }

  /**
   * Takes a suspension back.
   * @throws ACCOUNT_NOT_FOUND; INVALID_INPUT without a reason.
   */
  resume(accountId: string, actorId: string, reason: string): Promise<void> {
    return this.setSuspended(false, { accountId, actorId, reason });
  }

  /** The sites the account's videos may play on; empty for every site. @throws ACCOUNT_NOT_FOUND */
  async allowedDomains(accountId: string): Promise<string[]> {
    const [row] = await execute(this.deps.db.sql, ALLOWED_DOMAINS, { accountId });
    return row?.allowed_domains ?? notFound();
  }

  /**
   * Narrows playback to these sites, from the next manifest or playlist on. `*.example.com` is every host below it.
   *
   * @throws INVALID_INPUT for what is no domain; ACCOUNT_NOT_FOUND
   */
  async setAllowedDomains(accountId: string, domains: readonly string[]): Promise<string[]> {
    const [row] = await execute(this.deps.db.sql, SET_ALLOWED_DOMAINS, {
      accountId,
      allowedDomains: parseDomains(domains),
    });
    return row?.allowed_domains ?? notFound();
  }

  /** Where somebody is signed in, the newest first. At most 100. */
  async sessions(userId: string): Promise<UserSession[]> {
    const rows = await execute(this.deps.db.sql, SESSIONS, { userId, most: MAX_SESSIONS });
    return rows.map(userSession);
  }

  /** Signs one session out, from its next request on; one that has ended already is no error. */
  async endSession(userId: string, sessionId: string): Promise<void> {
    if (isUuid(sessionId)) await execute(this.deps.db.sql, END_SESSION, { userId, sessionId });
  }

  /** Signs every session but this one out. Returns how many those were. */
  async endOtherSessions(userId: string, sessionId: string): Promise<number> {
    return (await execute(this.deps.db.sql, END_OTHER_SESSIONS, { userId, sessionId })).length;
  }

  private async setSuspended(
    suspended: boolean,
    order: { accountId: string; actorId: string; reason: string },
  ): Promise<void> {
    const { accountId, actorId } = order;
    const reason = checkedReason(order.reason);
    if (!isUuid(accountId)) notFound();
    await this.deps.db.transaction(async ({ sql }) => {
      const before = await lock(sql, accountId);
      if ((before.suspended_at !== null) === suspended) return;
      if (suspended) await execute(sql, SUSPEND_ACCOUNT, { accountId, reason });
      else await execute(sql, RESUME_ACCOUNT, { accountId });
      // Keys carry the flag themselves: a mint that waits for the key's row must see it, without reading another row.
      await execute(sql, SUSPEND_KEYS, { accountId, suspended });
      const action = suspended ? 'account.suspend' : 'account.resume';
      await recordAudit(sql, { accountId, actorId, action, subject: accountId, reason });
    });
  }
}

async function lock(sql: Sql, accountId: string): Promise<LockedAccount> {
  const [account] = await execute(sql, LOCK_ACCOUNT, { accountId });
  return account ?? notFound();
}

function notFound(): never {
  throw new AppError('ACCOUNT_NOT_FOUND', 'Account not found.');
}

function summary(row: AccountRow): AccountSummary {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    emailVerified: row.email_verified,
    role: row.role,
    suspendedAt: row.suspended_at === null ? null : new Date(row.suspended_at),
    suspendedReason: row.suspended_reason,
    createdAt: new Date(row.created_at),
  };
}
