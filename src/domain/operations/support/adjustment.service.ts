import { type Database, execute, type Transaction } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import type { AccountService } from '../../accounts/account.service.js';
import { recordAudit } from '../../shared/audit.js';
import { lockStaff, needsSecondPerson, takeAllowance } from '../../accounts/staff.js';
import { isUuid, newId } from '../../shared/ids.js';
import { formatCredits } from '../../ledger/credits.js';
import { lockWallet } from '../../ledger/lockWallet.js';
import type { WalletService } from '../../ledger/wallet.service.js';
import * as statements from './adjustment.sql.js';
import { adjustmentOf, type Adjustment, type AdjustmentStatus } from './adjustment.js';
import { mayDecide } from './fourEyes.js';
import { checkedReason } from '../../shared/reason.js';
import type { StaffOrder } from './support.service.js';
import { parseTimeCursor } from './timeCursor.js';

/** The ledger puts two prefixes in front of this key, and allows 200 characters. */
const MAX_KEY_LENGTH = 180;

export interface AdjustmentOrder extends StaffOrder {
  readonly amountMicros: bigint;
  readonly idempotencyKey: string;
}

export interface AdjustmentDecision extends StaffOrder {
  readonly adjustmentId: string;
}

/**
 * Adjustments of wallets by staff. Up to a daily limit over all accounts, one person adjusts immediately. Beyond it,
 * and for accounts close to them (a colleague, a referrer or an invitee), a second person approves.
 */
export class AdjustmentService {
  constructor(
    private readonly deps: {
      readonly db: Database;
      readonly accounts: AccountService;
      readonly wallet: WalletService;
      /** How much one person may adjust and refund alone on one UTC day, up and down added, over all accounts. */
      readonly limitMicros: bigint;
    },
  ) {}

  /**
   * Adjusts MASTER, up or down, or requests the adjustment. The same key is the same adjustment or request.
   *
   * @returns the request if a second person is needed (whatever its status is now), `null` if the adjustment is posted
   * @throws ACCOUNT_NOT_FOUND, FORBIDDEN for one's own account, INSUFFICIENT_CREDITS, IDEMPOTENCY_CONFLICT,
   * INVALID_INPUT
   */
  async adjust(order: AdjustmentOrder): Promise<Adjustment | null> {
    const { actorId, amountMicros, idempotencyKey } = order;
    const accountId = order.accountId.toLowerCase();
    const reason = checkedReason(order.reason);
    if (!isUuid(accountId)) throw new AppError('ACCOUNT_NOT_FOUND', 'Account not found.');
    if (accountId === actorId) throw new AppError('FORBIDDEN', 'You can’t adjust your own wallet.');
    if (amountMicros === 0n) throw new AppError('INVALID_INPUT', 'The amount must not be zero.');
    if (idempotencyKey.length === 0 || idempotencyKey.length > MAX_KEY_LENGTH) {
      throw new AppError('INVALID_INPUT', `An idempotency key has 1 to ${MAX_KEY_LENGTH} characters.`);
    }
    await this.deps.accounts.get(accountId);
    const requestId = await this.deps.db.transaction((tx) => this.adjustIn(tx, { ...order, accountId, reason }));
    return requestId === null ? null : this.get(accountId, requestId);
  }

  /**
   * Posts an adjustment that another staff member requested. Approving twice, or concurrently, posts it once.
   *
   * @throws NOT_FOUND, FORBIDDEN for one's own request or account, INVALID_STATE if it was refused or has expired,
   * INSUFFICIENT_CREDITS (it stays pending then)
   */
  async approve(decision: AdjustmentDecision): Promise<Adjustment> {
    const { accountId, actorId } = decision;
    const reason = checkedReason(decision.reason);
    await this.decide(decision, 'approved', async (tx, request) => {
      const { amountMicros, reason: cause, idempotencyKey } = request;
      const key = ledgerKey(idempotencyKey);
      const posted = await this.deps.wallet.adjust(tx.sql, accountId, {
        amountMicros,
        reason: cause,
        idempotencyKey: key,
      });
      await execute(tx.sql, statements.DECIDE, {
        accountId,
        id: request.id,
        status: 'approved',
        actorId,
        reason,
        txId: posted.txId,
      });
      const details = {
        amount: formatCredits(amountMicros),
        transaction: posted.txId,
        requestedBy: request.requestedBy,
      };
      await recordAudit(tx, { accountId, actorId, action: 'wallet.adjust', subject: request.id, reason, details });
    });
    return this.get(accountId, decision.adjustmentId);
  }

  /**
   * Refuses a request. @throws NOT_FOUND, FORBIDDEN for one's own request or account, INVALID_STATE if it was approved
   * or has expired
   */
  async refuse(decision: AdjustmentDecision): Promise<Adjustment> {
    const { accountId, actorId } = decision;
    const reason = checkedReason(decision.reason);
    await this.decide(decision, 'refused', async (tx, request) => {
      await execute(tx.sql, statements.DECIDE, {
        accountId,
        id: request.id,
        status: 'refused',
        actorId,
        reason,
        txId: null,
      });
      const details = { amount: formatCredits(request.amountMicros), requestedBy: request.requestedBy };
      const action = 'wallet.refuse_adjustment';
      await recordAudit(tx, { accountId, actorId, action, subject: request.id, reason, details });
    });
    return this.get(accountId, decision.adjustmentId);
  }

  /**
   * Adjustments that needed a second person, of all accounts, newest first. @throws INVALID_PARAMETER for a bad cursor.
   */
  async list(page: { first: number; after: string | null; status: AdjustmentStatus | null }): Promise<Adjustment[]> {
    const { status, first } = page;
    return (await execute(this.deps.db.sql, statements.LIST, { ...parseTimeCursor(page.after), status, first })).map(
      adjustmentOf,
    );
  }

  /** Posts or requests the adjustment. @returns the request's id, or `null` if it is posted */
  private async adjustIn(tx: Transaction, order: AdjustmentOrder): Promise<string | null> {
    const { sql } = tx;
    const { accountId, actorId, amountMicros, reason, idempotencyKey } = order;
    await lockStaff(sql, actorId);
    await lockWallet(sql, accountId);
    const [known] = await execute(sql, statements.BY_KEY, { accountId, idempotencyKey });
    if (known) return sameOrder(adjustmentOf(known), order);

    const id = newId();
    const row = { accountId, id, amountMicros: amountMicros.toString(), reason, idempotencyKey, actorId };
    const details = { amount: formatCredits(amountMicros) };
    if (
      (await needsSecondPerson(sql, actorId, accountId)) ||
      !(await takeAllowance(sql, actorId, magnitude(amountMicros), this.deps.limitMicros))
    ) {
      await execute(sql, statements.INSERT_PENDING, row);
      const action = 'wallet.propose_adjustment';
      await recordAudit(tx, { accountId, actorId, action, subject: id, reason, details });
      return id;
    }
    const key = ledgerKey(idempotencyKey);
    const { txId } = await this.deps.wallet.adjust(sql, accountId, { amountMicros, reason, idempotencyKey: key });
    await execute(sql, statements.INSERT_POSTED, { ...row, txId });
    const audited = { ...details, transaction: txId };
    await recordAudit(tx, {
      accountId,
      actorId,
      action: 'wallet.adjust',
      subject: accountId,
      reason,
      details: audited,
    });
    return null;
  }

  /** Runs `act` on the locked request, unless it already has this outcome. */
  private decide(
    { accountId, actorId, adjustmentId }: AdjustmentDecision,
    outcome: 'approved' | 'refused',
    act: (tx: Transaction, request: Adjustment) => Promise<void>,
  ): Promise<void> {
    return this.deps.db.transaction(async (tx) => {
      const { sql } = tx;
      await lockStaff(sql, actorId);
      const rows =
        isUuid(accountId) && isUuid(adjustmentId)
          ? await execute(sql, statements.LOCK, { accountId, adjustmentId })
          : [];
      if (!rows[0]) throw new AppError('NOT_FOUND', 'Request not found.');
      const request = adjustmentOf(rows[0]);
      if (!(await mayDecide(sql, actorId, request, outcome))) return;
      await act(tx, request);
    });
  }

  private async get(accountId: string, id: string): Promise<Adjustment> {
    const [row] = await execute(this.deps.db.sql, statements.FIND, { accountId, id });
    return adjustmentOf(row!);
  }
}

/** `adjustment:support:…` in the ledger, which the nightly verification looks for. */
function ledgerKey(idempotencyKey: string): string {
  return `support:${idempotencyKey}`;
}

function sameOrder(known: Adjustment, order: AdjustmentOrder): string | null {
  if (known.amountMicros !== order.amountMicros || known.requestedBy !== order.actorId) {
    throw new AppError('IDEMPOTENCY_CONFLICT', 'This idempotency key was used for something else.');
  }
  return known.status === 'posted' ? null : known.id;
}

function magnitude(micros: bigint): bigint {
  return micros < 0n ? -micros : micros;
}
