import { execute, type Sql, type Transaction } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import { assertSecondFactor, type Identity } from '../../../ports/identity.js';
import type { Logger } from '../../../logger.js';
import { END_ALL_SESSIONS, SET_CLOSED } from '../../accounts/account.sql.js';
import { revokeAllTokens } from '../../accounts/accessTokens/accessToken.sql.js';
import { SUSPEND_KEYS } from '../../accounts/keys/apiKey.sql.js';
import { revokeAllKeys } from '../../accounts/keys/keys.service.js';
import { queueNotices } from '../../accounts/notices/queueNotice.js';
import { TEST_ACCOUNT_OF } from '../../accounts/testMode/testAccount.sql.js';
import { liveModeOnly } from '../../accounts/testMode/testMode.service.js';
import type { Viewer } from '../../accounts/viewer.js';
import { disableEndpoints } from '../../accounts/webhooks/endpoint.sql.js';
import { DEMO_GIFT } from '../../ledger/demoGift.js';
import { raiseAlert } from '../../shared/alerts/raiseAlert.js';
import { recordAudit } from '../../shared/audit.js';
import { newId } from '../../shared/ids.js';
import {
  END_WAIT,
  EXTENT,
  FIND_OPEN,
  FORGET_UNOWED,
  IN_SUSPENSE,
  INSERT,
  LOCK_ACCOUNT,
  REOPEN,
  REOPEN_DAYS,
  TAKE_OWED_AFTER_ERASURE,
  TAKE_UNSETTLED,
  type AccountToClose,
  type ClosingRow,
} from './closing.sql.js';
import { type Consequences, readMoney, settleClosing, type SettleDeps } from './settleClosing.js';

interface Order {
  readonly by: 'owner' | 'operator';
  readonly reason: string;
  readonly reopenDays: number;
}

const BY_OWNER: Order = { by: 'owner', reason: 'by its owner', reopenDays: REOPEN_DAYS };

export interface Closing {
  readonly accountId: string;
  readonly closedAt: Date;
  /** Until then its owner can reopen the account. Afterwards its data is erased. */
  readonly eraseAfter: Date;
}

interface ClosingDeps extends SettleDeps {
  readonly identity: Pick<Identity, 'provePassword'>;
  readonly logger: Logger;
}

/**
 * Closing an account, by its owner.
 *
 * One transaction closes it: everything that a suspension stops stops, keys and access tokens are revoked, webhooks are
 * disabled and sessions end. What takes longer follows in steps that can be repeated: jobs end, and the balance is
 * refunded. For 30 days the owner can reopen the account.
 */
export class ClosingService {
  constructor(private readonly deps: ClosingDeps) {}

  /** What closing the account would end, and what would become of its balance. Changes nothing. */
  async consequences(accountId: string): Promise<Consequences> {
    const { sql } = this.deps.db;
    const [extent] = await execute(sql, EXTENT, { accountIds: await this.bothModes(accountId) });
    return {
      videos: Number(extent!.videos),
      storedBytes: BigInt(extent!.bytes),
      keys: Number(extent!.keys),
      webhookEndpoints: Number(extent!.endpoints),
      jobs: Number(extent!.jobs),
      ...(await readMoney(this.deps, accountId)),
    };
  }

  /** The closing of a closed account; `null` for any other. */
  async of(accountId: string): Promise<Closing | null> {
    const [row] = await execute(this.deps.db.sql, FIND_OPEN, { accountId });
    return row ? closingOf(row) : null;
  }

  /**
   * Closes the viewer's account and its test account.
   *
   * @param proof the email address of the account, typed by its owner, and the password
   * @throws INVALID_INPUT for another address, or a wrong password; TWO_FACTOR_REQUIRED if it is switched on and this
   * session has not passed it; FORBIDDEN for staff and the demo account; INVALID_STATE if it is closed already;
   * ACCOUNT_SUSPENDED, LIVE_MODE_ONLY, RATE_LIMIT_EXCEEDED
   */
  async close(viewer: Viewer, proof: { readonly email: string; readonly password: string }): Promise<Closing> {
    if (viewer.mode === 'test') throw liveModeOnly();
    refuseSpecial(viewer.role, viewer.email);
    if (proof.email.trim().toLowerCase() !== viewer.email.toLowerCase()) {
      throw new AppError('INVALID_INPUT', 'This is not the email address of your account.');
    }
    assertSecondFactor(viewer);
    await this.deps.identity.provePassword(viewer.userId, proof.password);
    const { accountId } = viewer;
    const row = await this.deps.db.transaction(async (tx) =>
      this.closeIn(tx, await lockToClose(tx.sql, accountId), BY_OWNER),
    );
    // The account is closed whatever happens here; the chore repeats it.
    await this.settle(row).catch((error: unknown) => {
      this.deps.logger.warn({ scope: 'job', accountId, err: error }, 'could not settle a closed account yet');
    });
    return closingOf(row);
  }

  /**
   * Takes the closing back. Keys stay revoked, and webhooks disabled.
   *
   * @throws INVALID_STATE if the account is not closed, or its data is being erased
   */
  async reopen(viewer: Viewer): Promise<void> {
    if (viewer.mode === 'test') throw liveModeOnly();
    const { accountId } = viewer;
    await this.deps.db.transaction(async (tx) => {
      const { sql } = tx;
      await execute(sql, LOCK_ACCOUNT, { accountId });
      const [row] = await execute(sql, REOPEN, { accountId });
      if (!row) throw new AppError('INVALID_STATE', 'This account is not closed, or can no longer be reopened.');
      const accountIds = await this.bothModes(accountId, tx);
      await execute(sql, SET_CLOSED, { accountIds, closed: false });
      await execute(sql, SUSPEND_KEYS, { accountIds, suspended: false });
      await recordAudit(tx, {
        accountId,
        actorId: accountId,
        action: 'account.reopen',
        subject: accountId,
        reason: 'by its owner',
      });
      const key = `account:reopened:${row.id}`;
      await queueNotices(sql, [{ accountId, key, kind: 'account.reopened', data: {} }]);
    });
  }

  /** Ends jobs and requests refunds of closed accounts. Runs every minute. @returns how many it settled */
  async settleDue(signal?: AbortSignal): Promise<number> {
    return this.settleEach(await execute(this.deps.db.sql, TAKE_UNSETTLED), signal);
  }

  /**
   * Requests refunds of credits that came to an account after its erasure, and tells staff of payments in suspense, whose
   * alerts were erased with the account. @returns how many it settled
   */
  async settleErased(signal?: AbortSignal): Promise<number> {
    const { sql } = this.deps.db;
    await execute(sql, FORGET_UNOWED);
    const closings = await execute(sql, TAKE_OWED_AFTER_ERASURE);
    for (const { account_id: accountId } of closings) {
      for (const { provider, payment_id: paymentId } of await execute(sql, IN_SUSPENSE, { accountId })) {
        await raiseAlert(sql, {
          kind: 'payment.mismatch',
          subject: paymentId,
          message: `A ${provider} payment of the erased account ${accountId} is in suspense. Refund it at the provider, or resolve it.`,
          accountId: null,
        });
      }
    }
    return this.settleEach(closings, signal);
  }

  private async settleEach(rows: readonly ClosingRow[], signal?: AbortSignal): Promise<number> {
    let settled = 0;
    for (const row of rows) {
      if (signal?.aborted) break;
      try {
        if (await this.settle(row)) settled += 1;
      } catch (error) {
        // One account must not keep the others waiting.
        this.deps.logger.error(
          { scope: 'job', accountId: row.account_id, err: error },
          'could not settle a closed account',
        );
      }
    }
    return settled;
  }

  /** Ends jobs and requests refunds. @returns whether nothing was left to do */
  async settle({ account_id: accountId, id, closed_at: closedAt }: ClosingRow): Promise<boolean> {
    const accountIds = await this.bothModes(accountId);
    return settleClosing(this.deps, { accountId, id, closedAt: new Date(closedAt), accountIds });
  }

  /**
   * Closes an account for an operator, who need not wait: it can be erased at once. If it is closed already, it can no
   * longer be reopened.
   *
   * @throws FORBIDDEN for staff and the demo account; ACCOUNT_NOT_FOUND
   */
  async closeToErase(accountId: string, reason: string): Promise<void> {
    await this.deps.db.transaction(async (tx) => {
      const { sql } = tx;
      const account = await lockToClose(sql, accountId);
      const [ended] = await execute(sql, END_WAIT, { accountId });
      if (ended) {
        await recordAudit(tx, { accountId, actorId: null, action: 'account.erase', subject: accountId, reason });
        return;
      }
      const [closed] = await execute(sql, FIND_OPEN, { accountId });
      if (closed) return;
      await this.closeIn(tx, account, { by: 'operator', reason, reopenDays: 0 });
    });
  }

  private async closeIn(
    tx: Transaction,
    account: AccountToClose,
    { by, reason, reopenDays }: Order,
  ): Promise<ClosingRow> {
    const { sql } = tx;
    const accountId = account.id;
    const [row] = await execute(sql, INSERT, { accountId, id: newId(), reopenDays });
    if (!row) throw new AppError('INVALID_STATE', 'This account is closed already.');
    const isByOwner = by === 'owner';
    if (account.suspended && isByOwner) throw new AppError('ACCOUNT_SUSPENDED', 'This account is suspended.');
    const accountIds = [accountId, account.test_account_id ?? []].flat();
    await execute(sql, SET_CLOSED, { accountIds, closed: true });
    await execute(sql, SUSPEND_KEYS, { accountIds, suspended: true });
    await revokeAllKeys(sql, accountIds);
    // Sessions before tokens, as a reset of the password does.
    await execute(sql, END_ALL_SESSIONS, { userId: accountId });
    await execute(sql, revokeAllTokens, { accountId });
    await execute(sql, disableEndpoints, { accountIds });
    await recordAudit(tx, {
      accountId,
      actorId: isByOwner ? accountId : null,
      action: isByOwner ? 'account.close' : 'account.erase',
      subject: accountId,
      reason,
    });
    if (!isByOwner) return row;
    const data = { eraseAfter: new Date(row.erase_after).toISOString() };
    await queueNotices(sql, [{ accountId, key: `account:closed:${row.id}`, kind: 'account.closed', data }]);
    return row;
  }

  /** The account and its test account, if it has one. */
  async bothModes(accountId: string, { sql }: Pick<Transaction, 'sql'> = this.deps.db): Promise<string[]> {
    const [test] = await execute(sql, TEST_ACCOUNT_OF, { liveAccountId: accountId });
    return [accountId, test?.account_id ?? []].flat();
  }
}

/** @throws ACCOUNT_NOT_FOUND; FORBIDDEN as `refuseSpecial` */
async function lockToClose(sql: Sql, accountId: string): Promise<AccountToClose> {
  const [account] = await execute(sql, LOCK_ACCOUNT, { accountId });
  if (!account) throw new AppError('ACCOUNT_NOT_FOUND', 'Account not found.');
  refuseSpecial(account.role, account.email);
  return account;
}

/** @throws FORBIDDEN for accounts that people cannot close this way */
function refuseSpecial(role: Viewer['role'], email: string | null): void {
  if (role === 'support') throw new AppError('FORBIDDEN', 'Accounts of staff cannot be closed here.');
  if (email === DEMO_GIFT.email) throw new AppError('FORBIDDEN', 'The demo account cannot be closed.');
}

function closingOf(row: ClosingRow): Closing {
  return { accountId: row.account_id, closedAt: new Date(row.closed_at), eraseAfter: new Date(row.erase_after) };
}
