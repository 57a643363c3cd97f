import { LockMode, raw } from '@mikro-orm/core';

import { type Database, execute, type Transaction } from '../../db/sql.js';
import { AppError } from '../../errors.js';
import { isUuid } from '../shared/ids.js';
import { checkedReason } from '../shared/reason.js';
import { parseDomains } from './allowedSites.js';
import { Account, type AccountRole } from './account.entity.js';
import { recordAudit } from '../shared/audit.js';
import { userSession, type UserSession } from './userSession.js';
import {
  END_OTHER_SESSIONS,
  END_SESSION,
  FIND_ACCOUNTS,
  IS_CLOSED,
  OPEN_ACCOUNT,
  SESSIONS,
  USER_BY_EMAIL,
  type AccountRow,
} from './account.sql.js';
import { SUSPEND_KEYS } from './keys/apiKey.sql.js';
import { MODES_OF } from './testMode/testAccount.sql.js';
import { liveModeOnly } from './testMode/testMode.service.js';

const MAX_FOUND = 50;
const MAX_SESSIONS = 100;

/** An account and its user, as support sees them. */
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

/** What staff and the command line do with accounts. */
export class AccountService {
  constructor(private readonly deps: { readonly db: Database }) {}

  /** Creates the account row, wallet and counters of a user if they are missing. Calling it again changes nothing. */
  async ensureAccount(userId: string): Promise<void> {
    await execute(this.deps.db.sql, OPEN_ACCOUNT, { userId });
  }

  /**
   * Gives the user with this email address a role and records it in the audit trail. If they already have the role,
   * nothing is recorded.
   * @returns the account's id
   * @throws ACCOUNT_NOT_FOUND if nobody has the address; INVALID_STATE if the account is closed
   */
  async promote(email: string, role: AccountRole): Promise<string> {
    const address = email.trim().toLowerCase();
    return this.deps.db.transaction(async (tx) => {
      const { sql } = tx;
      const [user] = await execute(sql, USER_BY_EMAIL, { address });
      if (!user) throw new AppError('ACCOUNT_NOT_FOUND', `No user has the address ${address}.`);
      await execute(sql, OPEN_ACCOUNT, { userId: user.id });
      const before = await lock(tx, user.id);
      if (before.role === role) return user.id;
      await refuseClosed(tx, user.id);
      await tx.em().nativeUpdate(Account, { id: user.id }, { role });
      await recordAudit(tx, {
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

  /**
   * Finds accounts by id or by a part of the email address, an exact match first. At most 50. The id of a test account
   * finds its owner's.
   */
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
   * Suspends an account and its test account: their keys get 403 from the next request on, and their user may read but
   * change nothing.
   * Suspending a suspended account changes nothing, and keeps the first reason.
   * @throws ACCOUNT_NOT_FOUND; INVALID_INPUT without a reason; LIVE_MODE_ONLY for a test account; INVALID_STATE if its
   * owner closed it
   */
  suspend(accountId: string, actorId: string, reason: string): Promise<void> {
    return this.setSuspended(true, { accountId, actorId, reason });
  }

  /**
   * Lifts a suspension.
   * @throws ACCOUNT_NOT_FOUND; INVALID_INPUT without a reason; INVALID_STATE if its owner closed it
   */
  resume(accountId: string, actorId: string, reason: string): Promise<void> {
    return this.setSuspended(false, { accountId, actorId, reason });
  }

  /** The sites on which the account's videos may play; empty for every site. @throws ACCOUNT_NOT_FOUND */
  async allowedDomains(accountId: string): Promise<string[]> {
    const account = await this.deps.db.em().findOne(Account, { id: accountId });
    return account?.allowedDomains ?? notFound();
  }

  /**
   * Limits playback to these sites, from the next manifest or playlist on. `*.example.com` matches every host below it.
   *
   * @throws INVALID_INPUT for an invalid domain; ACCOUNT_NOT_FOUND
   */
  async setAllowedDomains(accountId: string, domains: readonly string[]): Promise<string[]> {
    const allowedDomains = parseDomains(domains);
    const changed = await this.deps.db.em().nativeUpdate(Account, { id: accountId }, { allowedDomains });
    return changed === 0 ? notFound() : allowedDomains;
  }

  /** The user's sessions, newest first. At most 100. */
  async sessions(userId: string): Promise<UserSession[]> {
    const rows = await execute(this.deps.db.sql, SESSIONS, { userId, most: MAX_SESSIONS });
    return rows.map(userSession);
  }

  /** Ends one session from its next request on. Ending a session that has already ended is not an error. */
  async endSession(userId: string, sessionId: string): Promise<void> {
    if (isUuid(sessionId)) await execute(this.deps.db.sql, END_SESSION, { userId, sessionId });
  }

  /** Ends all sessions except this one. Returns how many. */
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
    await this.deps.db.transaction(async (tx) => {
      const before = await lock(tx, accountId);
      const [modes] = await execute(tx.sql, MODES_OF, { accountId });
      if (modes?.is_test) throw liveModeOnly();
      await refuseClosed(tx, accountId);
      if ((before.suspendedAt !== null) === suspended) return;
      const changes = suspended
        ? { suspendedAt: raw<Date>('service_now()'), suspendedReason: reason }
        : { suspendedAt: null, suspendedReason: null };
      const accountIds = [accountId, modes?.test ?? []].flat();
      await tx.em().nativeUpdate(Account, { id: { $in: accountIds } }, changes);
      // Each key carries the flag itself: a mint that waits for the key's row must see it without reading another row.
      await execute(tx.sql, SUSPEND_KEYS, { accountIds, suspended });
      const action = suspended ? 'account.suspend' : 'account.resume';
      await recordAudit(tx, { accountId, actorId, action, subject: accountId, reason });
    });
  }
}

async function lock(tx: Transaction, id: string): Promise<Account> {
  const account = await tx.em().findOne(Account, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  return account ?? notFound();
}

/** Its owner closed it, and only they can reopen it. @throws INVALID_STATE */
async function refuseClosed({ sql }: Transaction, accountId: string): Promise<void> {
  const [account] = await execute(sql, IS_CLOSED, { accountId });
  if (account!.closed) throw new AppError('INVALID_STATE', 'This account was closed by its owner.');
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
