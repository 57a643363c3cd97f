import { execute, type Sql, type Transaction } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import { IS_SUSPENDED } from '../../accounts/account.sql.js';
import { recordAudit } from '../../shared/audit.js';
import { KEEP_CLOSED } from '../../shared/closedAccounts.js';
import { lockStaff, needsSecondPerson, takeAllowance } from '../../accounts/staff.js';
import { isUuid, newId } from '../../shared/ids.js';
import { checkedReason } from '../../shared/reason.js';
import { formatCredits } from '../../ledger/credits.js';
import { lockWallet } from '../../ledger/lockWallet.js';
import { post } from '../../ledger/posting.js';
import { notifyWallet } from '../../ledger/wallet.service.js';
import { formatAmount, parseAmount } from '../topUps/amounts.js';
import { TAKE_TURN } from '../settlement/payment.sql.js';
import { readPayment } from '../settlement/paymentRow.js';
import type { PaymentRow } from '../settlement/payment.sql.js';
import { INSERT_REQUEST, PAYMENT_OF_TOPUP, REQUEST_BY_ID, REQUEST_BY_KEY, REQUESTS_OF_TOPUPS } from './refund.sql.js';
import { RefundCalls, type RefundDeps } from './refundCalls.js';
import { refundRequestOf, type RefundRequest, type RefundRequestRow } from './refundRequest.js';
import { FIND_TOPUP, LOCK_TOPUP, topUpOf, type TopUp } from '../topUps/topUp.js';
import { checkedKey } from '../topUps/topUp.service.js';
import { detailsOf } from '../topUps/topUpDetails.js';

/** A refund of one top-up. `amount` is a decimal string in its currency, or a bigint in minor units. */
export interface RefundOrder {
  readonly topUpId: string;
  readonly amount: string | bigint;
  readonly idempotencyKey: string;
}

/** A refund that two staff members agreed on. */
export interface ApprovedRefund {
  readonly accountId: string;
  readonly requestId: string;
  readonly topUpId: string;
  readonly amountMinor: bigint;
  readonly actorId: string;
  readonly approvedBy: string;
  readonly reason: string;
}

interface Asking {
  readonly topUpId: string;
  readonly amountMinor: bigint;
  readonly key: string;
  readonly staff: { readonly actorId: string; readonly reason: string; readonly approvedBy: string | null } | null;
  readonly ofClosedAccount?: boolean;
}

/** Refunds that we request from providers. Only the provider's webhook posts what was refunded, and when. */
export class RefundService {
  private readonly calls: RefundCalls;

  constructor(private readonly deps: RefundDeps) {
    this.calls = new RefundCalls(deps);
  }

  /**
   * Requests a refund for the owner: at most what is left of the top-up, and at most MASTER minus debt. The amount is
   * held before the provider is asked, so no cash leaves for credits that are already spent. The same key is the same
   * refund.
   *
   * If the provider is unavailable, {@link retry} asks again, and the refund stays `requested`.
   * @throws NOT_FOUND, INVALID_STATE (not paid), INVALID_INPUT (more than is left), INSUFFICIENT_CREDITS,
   * DEBT_OUTSTANDING, ACCOUNT_SUSPENDED, IDEMPOTENCY_CONFLICT
   */
  async requestRefund(accountId: string, order: RefundOrder): Promise<RefundRequest> {
    return this.ask(accountId, {
      ...checkedOrder(order),
      key: `owner:${checkedKey(order.idempotencyKey)}`,
      staff: null,
    });
  }

  /**
   * Requests a refund by staff, recorded in the audit trail: at most what is left of the top-up, and at most what one
   * person may move on one UTC day. Nothing is held: when the refund is posted it takes what the wallet has, and the
   * rest becomes DEBT.
   *
   * @throws like {@link requestRefund}, except INSUFFICIENT_CREDITS; APPROVAL_REQUIRED beyond the daily limit, and for
   * one's own top-up, a colleague's, or that of one's referrer or invitee: see `StaffRequestService`
   */
  async refundByStaff(
    order: RefundOrder & { accountId: string; actorId: string; reason: string },
  ): Promise<RefundRequest> {
    const reason = checkedReason(order.reason);
    const staff = { actorId: order.actorId, reason, approvedBy: null };
    return this.ask(order.accountId, {
      ...checkedOrder(order),
      key: `staff:${checkedKey(order.idempotencyKey)}`,
      staff,
    });
  }

  /**
   * Requests a refund of a closed account, which no owner can request any more: with the limits and the hold of
   * {@link requestRefund}.
   *
   * @param order `key` names it once for the account
   * @throws like {@link requestRefund}, but instead of ACCOUNT_SUSPENDED, INVALID_STATE if it was reopened
   */
  refundForClosing(
    accountId: string,
    order: { topUpId: string; amountMinor: bigint; key: string },
  ): Promise<RefundRequest> {
    return this.ask(accountId, { ...order, key: `closing:${order.key}`, staff: null, ofClosedAccount: true });
  }

  /** Checks that at least this much is left of a paid top-up. @throws NOT_FOUND, INVALID_STATE, INVALID_INPUT */
  async checkRefundable(sql: Sql, accountId: string, order: Omit<RefundOrder, 'idempotencyKey'>): Promise<bigint> {
    const { topUpId, amountMinor } = checkedOrder(order);
    await assertLeft(sql, accountId, { ...(await lockPaid(sql, accountId, topUpId)), amountMinor });
    return amountMinor;
  }

  /**
   * Writes a refund that one staff member requested and another approved, in the transaction of the approval.
   *
   * @returns the id for {@link carryOut}, to be called after the commit
   * @throws NOT_FOUND, INVALID_STATE, INVALID_INPUT (more than is left)
   */
  writeApproved(tx: Transaction, request: ApprovedRefund): Promise<string> {
    const { accountId, requestId, topUpId, amountMinor, actorId, approvedBy, reason } = request;
    const staff = { actorId, reason, approvedBy };
    return this.writeIn(tx, accountId, { topUpId, amountMinor, key: `request:${requestId}`, staff });
  }

  /** Asks the provider. If it is unavailable, {@link retry} asks again later. */
  async carryOut(accountId: string, id: string): Promise<void> {
    await this.calls.carryOut(accountId, id);
  }

  /** See {@link RefundCalls.retry}. */
  retry(signal?: AbortSignal): Promise<number> {
    return this.calls.retry(signal);
  }

  private async ask(accountId: string, asking: Asking): Promise<RefundRequest> {
    const id = await this.write(accountId, asking);
    await this.calls.carryOut(accountId, id);
    const [row] = await execute(this.deps.db.sql, REQUEST_BY_ID, { accountId, id });
    return refundRequestOf(row!);
  }

  /**
   * Writes the row and its hold, or neither. @returns the id of this request, or of the earlier one with the same key
   */
  private write(accountId: string, asking: Asking): Promise<string> {
    return this.deps.db.transaction((tx) => this.writeIn(tx, accountId, asking));
  }

  private async writeIn(tx: Transaction, accountId: string, asking: Asking): Promise<string> {
    const { sql } = tx;
    const { topUpId, amountMinor, staff } = asking;
    if (staff) await lockStaff(sql, staff.actorId);
    const { topUp, payment } = await lockPaid(sql, accountId, topUpId);
    const [made] = await execute(sql, REQUEST_BY_KEY, { accountId, idempotencyKey: asking.key });
    if (made) return sameRequest(made, asking);
    if (asking.ofClosedAccount) await refuseReopened(sql, accountId);
    else if (staff === null) await refuseSuspended(sql, accountId);
    await assertLeft(sql, accountId, { topUp, payment, amountMinor });
    const id = newId();
    const amountMicros = amountMinor * topUp.microsPerMinor;
    if (staff?.approvedBy === null) await this.refuseAlone(sql, accountId, staff.actorId, amountMicros);
    const [inserted] = await execute(sql, INSERT_REQUEST, {
      accountId,
      id,
      idempotencyKey: asking.key,
      topUpId,
      provider: topUp.provider,
      paymentId: payment.payment_id,
      amountMinor: amountMinor.toString(),
      amountMicros: amountMicros.toString(),
      heldMicros: (staff ? 0n : amountMicros).toString(),
      actorId: staff?.actorId ?? null,
      reason: staff?.reason ?? null,
      approvedBy: staff?.approvedBy ?? null,
    });
    if (!inserted) throw keyTaken();
    if (staff) {
      const { actorId, reason, approvedBy } = staff;
      const asked = { topUp: topUpId, amount: formatAmount(amountMinor), currency: topUp.currency, request: id };
      await recordAudit(tx, {
        accountId,
        actorId: approvedBy ?? actorId,
        action: 'payment.refund',
        subject: payment.payment_id,
        reason,
        details: approvedBy === null ? asked : { ...asked, requestedBy: actorId },
      });
    } else {
      await hold(sql, { accountId, id, topUpId, provider: topUp.provider, amountMicros });
    }
    return id;
  }

  /** @throws APPROVAL_REQUIRED */
  private async refuseAlone(sql: Sql, accountId: string, actorId: string, amountMicros: bigint): Promise<void> {
    if (await needsSecondPerson(sql, actorId, accountId)) throw approvalRequired('This account is close to you.');
    if (await takeAllowance(sql, actorId, amountMicros, this.deps.staffLimitMicros)) return;
    throw approvalRequired('It is more than you may move alone on one day.');
  }
}

function approvalRequired(why: string): AppError {
  return new AppError('APPROVAL_REQUIRED', `${why} Another member of staff must approve it.`);
}

/** @throws INVALID_INPUT if less is left of the top-up */
async function assertLeft(
  sql: Sql,
  accountId: string,
  { topUp, payment, amountMinor }: { topUp: TopUp; payment: PaymentRow; amountMinor: bigint },
): Promise<void> {
  const requests = await execute(sql, REQUESTS_OF_TOPUPS, { accountId, topUpIds: [topUp.id] });
  const { facts } = await readPayment(sql, payment);
  const { refundableMinor } = detailsOf(topUp, facts, requests.map(refundRequestOf));
  if (amountMinor <= refundableMinor) return;
  const left = formatAmount(refundableMinor);
  throw new AppError('INVALID_INPUT', `${topUp.currency} ${left} of this top-up can still be refunded.`, {
    details: { left },
  });
}

/** @throws NOT_FOUND, INVALID_STATE */
async function lockPaid(sql: Sql, accountId: string, topUpId: string): Promise<{ topUp: TopUp; payment: PaymentRow }> {
  const [seen] = isUuid(topUpId) ? await execute(sql, FIND_TOPUP, { accountId, topUpId }) : [];
  if (!seen) throw new AppError('NOT_FOUND', 'Top-up not found.');
  if (seen.payment_id === null) throw new AppError('INVALID_STATE', 'This top-up has not been paid.');
  await execute(sql, TAKE_TURN, { provider: seen.provider, paymentId: seen.payment_id });
  const [row] = await execute(sql, LOCK_TOPUP, { accountId, topUpId });

  const [payment] = await execute(sql, PAYMENT_OF_TOPUP, {
    accountId,
    provider: seen.provider,
    paymentId: seen.payment_id,
  });
  return { topUp: topUpOf(row!), payment: payment! };
}

async function hold(
  sql: Sql,
  request: { accountId: string; id: string; topUpId: string; provider: string; amountMicros: bigint },
): Promise<void> {
  const { accountId, id, topUpId, provider, amountMicros } = request;
  // Arrears do not reduce MASTER. Without this check, an owner with unpaid storage could refund the rest.
  const { MASTER, DEBT } = await lockWallet(sql, accountId);
  if (amountMicros <= MASTER && amountMicros > MASTER + DEBT) {
    const owed = formatCredits(-DEBT);
    throw new AppError('DEBT_OUTSTANDING', `Please repay ${owed} credits of debt first.`, { details: { owed } });
  }
  await post(sql, {
    ownerId: accountId,
    type: 'REFUND',
    idempotencyKey: `refund-request:${id}`,
    deltas: { MASTER: -amountMicros, REFUND_HOLD: amountMicros },
    reference: topUpId,
    metadata: { provider, request: id },
  });
  await notifyWallet(sql, accountId);
}

async function refuseReopened(sql: Sql, accountId: string): Promise<void> {
  // Before the closing, as every posting does.
  await lockWallet(sql, accountId);
  const [closing] = await execute(sql, KEEP_CLOSED, { accountId });
  if (!closing) throw new AppError('INVALID_STATE', 'This account was reopened.');
}

async function refuseSuspended(sql: Sql, accountId: string): Promise<void> {
  const [account] = await execute(sql, IS_SUSPENDED, { accountId });
  if (account?.suspended) throw new AppError('ACCOUNT_SUSPENDED', 'This account is suspended.');
}

function sameRequest(made: RefundRequestRow, asking: Asking): string {
  if (made.topup_id !== asking.topUpId || BigInt(made.amount_minor) !== asking.amountMinor) {
    throw keyTaken();
  }
  return made.id;
}

function keyTaken(): AppError {
  return new AppError('IDEMPOTENCY_CONFLICT', 'This idempotency key was used for another refund.');
}

function checkedOrder({ topUpId, amount }: Omit<RefundOrder, 'idempotencyKey'>): {
  topUpId: string;
  amountMinor: bigint;
} {
  const amountMinor = typeof amount === 'string' ? parseAmount(amount) : amount;
  if (amountMinor <= 0n) throw new AppError('INVALID_INPUT', 'The amount must be more than zero.');
  return { topUpId: topUpId.toLowerCase(), amountMinor };
}
