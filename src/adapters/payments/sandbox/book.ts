import type { DisputeRow, OrderRow, PaymentRow, RefundRow } from './sandbox.sql.js';
import { execute, type Sql } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import { newId } from '../../../domain/shared/ids.js';
import type { EventPayload, EventSubject, OrderSnapshot } from './payloads/index.js';
import * as statements from './sandbox.sql.js';

/** Everything that the sandbox stores about one order. */
export interface OrderBook {
  readonly order: OrderRow;
  readonly payments: readonly PaymentRow[];
  readonly refunds: readonly RefundRow[];
  readonly disputes: readonly DisputeRow[];
  /** The provider's clock, in whole seconds. */
  readonly now: Date;
}

/** @throws NOT_FOUND */
export async function readBook(sql: Sql, orderId: string, lock: boolean): Promise<OrderBook> {
  const [order] = await execute(sql, lock ? statements.LOCK_ORDER : statements.ORDER, { orderId });
  if (!order) throw notFound();
  const payments = await execute(sql, statements.PAYMENTS, { orderId });
  const refunds = await execute(sql, statements.REFUNDS, { orderId });
  const disputes = await execute(sql, statements.DISPUTES, { orderId });
  return { order, payments, refunds, disputes, now: new Date(order.now) };
}

/** @throws NOT_FOUND */
export function paymentOf(book: OrderBook, paymentId: string): PaymentRow {
  const payment = book.payments.find((row) => row.payment_id === paymentId);
  if (!payment) throw notFound();
  return payment;
}

export function notFound(): AppError {
  return new AppError('NOT_FOUND', 'Payment not found.');
}

/** What was refunded, including refunds in progress. */
export function refundedMinor(book: OrderBook, paymentId: string): bigint {
  return book.refunds
    .filter((refund) => refund.payment_id === paymentId && refund.state !== 'failed')
    .reduce((sum, refund) => sum + BigInt(refund.amount_minor), 0n);
}

/** The order as its events show it. */
function orderSnapshot(order: OrderRow): OrderSnapshot {
  return {
    orderId: order.order_id,
    accountId: order.account_id,
    topUpId: order.topup_id,
    amountMinor: BigInt(order.amount_minor),
    currency: order.currency,
    description: order.description,
    returnUrl: order.return_url,
    createdAt: new Date(order.created_at),
    expiresAt: new Date(order.expires_at),
  };
}

/** A payment of the order as its events show it. */
export function subjectOf(book: OrderBook, payment: PaymentRow, refundedSoFarMinor = 0n): EventSubject {
  return {
    order: orderSnapshot(book.order),
    payment: {
      paymentId: payment.payment_id,
      amountMinor: BigInt(payment.amount_minor),
      payerEmail: payment.payer_email,
      createdAt: new Date(payment.created_at),
      refundedMinor: refundedSoFarMinor,
    },
  };
}

export interface DeliveryPlan {
  /** `null` holds the events back. */
  readonly afterSeconds: number | null;
  readonly times: number;
}

export const AT_ONCE: DeliveryPlan = { afterSeconds: 0, times: 1 };

/** Queues the events for sending, in order. */
export async function queueEvents(sql: Sql, book: OrderBook, events: readonly EventPayload[], plan: DeliveryPlan) {
  const startMs = Date.now();
  const all = events.flatMap((event) => Array.from({ length: plan.times }, () => event));
  for (const [index, event] of all.entries()) {
    await execute(sql, statements.INSERT_WEBHOOK, {
      id: newId(startMs + index),
      provider: book.order.provider,
      orderId: book.order.order_id,
      eventId: event.eventId,
      type: event.type,
      body: event.body,
      createdAt: book.now.toISOString(),
      afterSeconds: plan.afterSeconds,
    });
  }
}
