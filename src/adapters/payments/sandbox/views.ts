import { execute, type Sql } from '../../../db/sql.js';
import type { SandboxOrderView, SandboxPayment, SandboxWebhook } from '../../../ports/paymentSandbox.js';
import { readBook, refundedMinor, type OrderBook } from './book.js';
import { WEBHOOKS, type PaymentRow, type WebhookRow } from './sandbox.sql.js';

/** What the pay page shows. @throws NOT_FOUND */
export async function orderView(sql: Sql, orderId: string): Promise<SandboxOrderView> {
  const book = await readBook(sql, orderId, false);
  const { order } = book;
  const webhooks = await execute(sql, WEBHOOKS, { orderId });
  return {
    order: {
      orderId,
      provider: order.provider,
      amountMinor: BigInt(order.amount_minor),
      currency: order.currency,
      description: order.description,
      payerEmail: order.payer_email,
      returnUrl: order.return_url,
      payable: isPayable(book),
      expired: order.expired,
    },
    payments: book.payments.map((payment) => paymentView(book, payment)),
    webhooks: webhooks.map(webhookView),
  };
}

/** Stripe's sessions expire; Razorpay's orders do not, so late payments can be tried there. */
export function isPayable({ order, payments }: OrderBook): boolean {
  const paid = payments.some(({ state }) => state !== 'failed');
  return !paid && !(order.provider === 'stripe' && order.expired);
}

function paymentView(book: OrderBook, payment: PaymentRow): SandboxPayment {
  const paymentId = payment.payment_id;
  const amountMinor = BigInt(payment.amount_minor);
  return {
    paymentId,
    state: payment.state,
    amountMinor,
    refundableMinor: payment.state === 'captured' ? amountMinor - refundedMinor(book, paymentId) : 0n,
    payerEmail: payment.payer_email,
    refundsFail: payment.refunds_fail,
    createdAt: new Date(payment.created_at),
    refunds: book.refunds
      .filter((refund) => refund.payment_id === paymentId)
      .map((refund) => ({
        refundId: refund.refund_id,
        amountMinor: BigInt(refund.amount_minor),
        state: refund.state,
        createdAt: new Date(refund.created_at),
      })),
    disputes: book.disputes
      .filter((dispute) => dispute.payment_id === paymentId)
      .map((dispute) => ({
        disputeId: dispute.dispute_id,
        amountMinor: BigInt(dispute.amount_minor),
        state: dispute.state,
        createdAt: new Date(dispute.created_at),
      })),
  };
}

function webhookView(row: WebhookRow): SandboxWebhook {
  return {
    type: row.type,
    createdAt: new Date(row.created_at),
    dueAt: row.due_at === null ? null : new Date(row.due_at),
    deliveredAt: row.delivered_at === null ? null : new Date(row.delivered_at),
    attempts: row.attempts,
    lastStatus: row.last_status,
  };
}
