import { execute, type Sql } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import { AT_ONCE, paymentOf, queueEvents, refundedMinor, subjectOf, type OrderBook } from './book.js';
import { refundEvents } from './events.js';
import { sandboxId } from './payloads/index.js';
import { INSERT_REFUND, type RefundRow } from './sandbox.sql.js';

export interface RefundWish {
  readonly paymentId: string;
  /** `null` refunds all that is left. */
  readonly amountMinor: bigint | null;
  readonly succeeds: boolean;
  readonly requestKey: string | null;
}

/**
 * Refunds a payment of a locked book and queues the events.
 *
 * @throws INVALID_STATE if the payment does not have that much left
 */
export async function makeRefund(sql: Sql, book: OrderBook, wish: RefundWish): Promise<RefundRow> {
  const payment = paymentOf(book, wish.paymentId);
  const refundedBefore = refundedMinor(book, wish.paymentId);
  const leftMinor = payment.state === 'captured' ? BigInt(payment.amount_minor) - refundedBefore : 0n;
  const amountMinor = wish.amountMinor ?? leftMinor;
  if (amountMinor <= 0n || amountMinor > leftMinor) {
    throw new AppError('INVALID_STATE', 'This payment does not have that much left to refund.');
  }
  const { order, now } = book;
  const refund: RefundRow = {
    refund_id: sandboxId(order.provider === 'stripe' ? 're' : 'rfnd'),
    payment_id: wish.paymentId,
    amount_minor: String(amountMinor),
    state: wish.succeeds ? 'processed' : 'failed',
    request_key: wish.requestKey,
    created_at: now.toISOString(),
  };
  const { refund_id: refundId, payment_id: paymentId, amount_minor: amount, state, request_key: requestKey } = refund;
  await execute(sql, INSERT_REFUND, { refundId, paymentId, amount, state, requestKey, createdAt: refund.created_at });
  const subject = {
    ...subjectOf(book, payment, refundedBefore + (wish.succeeds ? amountMinor : 0n)),
    refund: { refundId, amountMinor, createdAt: now, requestKey },
  };
  await queueEvents(sql, book, refundEvents(order.provider, subject, wish.succeeds, now), AT_ONCE);
  return refund;
}
