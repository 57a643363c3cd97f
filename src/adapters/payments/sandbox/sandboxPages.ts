import type { PaymentRow } from './sandbox.sql.js';
import { type Database, execute, type Sql } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import type { PaymentSandbox, SandboxOrderView, SandboxPay } from '../../../ports/paymentSandbox.js';
import { AT_ONCE, notFound, paymentOf, queueEvents, readBook, refundedMinor, subjectOf } from './book.js';
import type { OrderBook } from './book.js';
import * as events from './events.js';
import { sandboxId } from './payloads/index.js';
import { makeRefund } from './refunds.js';
import * as statements from './sandbox.sql.js';
import { isPayable, orderView } from './views.js';

const MAX_DELIVERIES = 10;

/**
 * The actions of the pay page: changes the sandbox's data as the provider would, and queues the webhooks that the
 * provider would send.
 */
export class SandboxPages implements PaymentSandbox {
  constructor(private readonly deps: { readonly db: Database; readonly wake: () => void }) {}

  view(orderId: string): Promise<SandboxOrderView> {
    return orderView(this.deps.db.sql, orderId);
  }

  pay(orderId: string, how: SandboxPay): Promise<void> {
    return this.change(orderId, async (sql, book) => {
      const { provider } = book.order;
      const times = how.deliveries;
      if (!isPayable(book)) throw refused('This order takes no payment any more.');
      if (how.payments > 1 && provider === 'stripe') throw refused('Stripe takes one payment per session.');
      if (!Number.isInteger(times) || times < 1 || times > MAX_DELIVERIES) throw refused('1 to 10 deliveries.');
      const eventsOf = {
        captured: events.paidEvents,
        authorized: events.authorizedEvents,
        failed: events.failedEvents,
      };
      for (let count = 0; count < how.payments; count += 1) {
        const payment = await insertPayment(sql, book, how);
        const made = eventsOf[how.outcome](provider, subjectOf(book, payment), book.now);
        await queueEvents(sql, book, made, { afterSeconds: how.deliverAfterSeconds, times });
      }
    });
  }

  capture(orderId: string, paymentId: string): Promise<void> {
    return this.change(orderId, async (sql, book) => {
      const payment = paymentOf(book, paymentId);
      if (payment.state !== 'authorized') throw refused('Only an authorized payment can be captured.');
      await execute(sql, statements.CAPTURE_PAYMENT, { paymentId, capturedAt: book.now.toISOString() });
      const made = events.capturedEvents(book.order.provider, subjectOf(book, payment), book.now);
      await queueEvents(sql, book, made, AT_ONCE);
    });
  }

  refund(orderId: string, paymentId: string, amountMinor: bigint | null, succeeds: boolean): Promise<void> {
    return this.change(orderId, async (sql, book) => {
      await makeRefund(sql, book, { paymentId, amountMinor, succeeds, requestKey: null });
    });
  }

  letRefundsFail(orderId: string, paymentId: string, fail: boolean): Promise<void> {
    return this.change(orderId, async (sql, book) => {
      await execute(sql, statements.SET_REFUNDS_FAIL, { paymentId: paymentOf(book, paymentId).payment_id, fail });
    });
  }

  dispute(orderId: string, paymentId: string): Promise<void> {
    return this.change(orderId, async (sql, book) => {
      const payment = paymentOf(book, paymentId);
      if (payment.state !== 'captured') throw refused('Only a captured payment can be disputed.');
      if (book.disputes.some((dispute) => dispute.payment_id === paymentId && dispute.state === 'open')) {
        throw refused('This payment is disputed already.');
      }
      const disputeId = sandboxId(book.order.provider === 'stripe' ? 'du' : 'disp');
      const amountMinor = BigInt(payment.amount_minor);
      await execute(sql, statements.INSERT_DISPUTE, {
        disputeId,
        paymentId,
        amountMinor: payment.amount_minor,
        createdAt: book.now.toISOString(),
      });
      const subject = {
        ...subjectOf(book, payment, refundedMinor(book, paymentId)),
        dispute: { disputeId, amountMinor, createdAt: book.now },
      };
      await queueEvents(sql, book, events.disputeEvents(book.order.provider, subject, book.now), AT_ONCE);
    });
  }

  closeDispute(orderId: string, disputeId: string, outcome: 'won' | 'lost'): Promise<void> {
    return this.change(orderId, async (sql, book) => {
      const dispute = book.disputes.find((row) => row.dispute_id === disputeId);
      if (!dispute) throw notFound();
      if (dispute.state !== 'open') throw refused('This dispute is over.');
      await execute(sql, statements.CLOSE_DISPUTE, { disputeId, outcome });
      const paymentId = dispute.payment_id;
      const subject = {
        ...subjectOf(book, paymentOf(book, paymentId), refundedMinor(book, paymentId)),
        dispute: { disputeId, amountMinor: BigInt(dispute.amount_minor), createdAt: new Date(dispute.created_at) },
      };
      const made = events.closedDisputeEvents(book.order.provider, subject, outcome, book.now);
      await queueEvents(sql, book, made, AT_ONCE);
    });
  }

  deliverNow(orderId: string): Promise<void> {
    return this.change(orderId, async (sql) => {
      await execute(sql, statements.DELIVER_NOW, { orderId });
    });
  }

  /** Locks the order: one change at a time. */
  private async change(orderId: string, work: (sql: Sql, book: OrderBook) => Promise<void>): Promise<void> {
    await this.deps.db.transaction(async ({ sql }) => work(sql, await readBook(sql, orderId, true)));
    this.deps.wake();
  }
}

async function insertPayment(sql: Sql, book: OrderBook, how: SandboxPay): Promise<PaymentRow> {
  const payment: PaymentRow = {
    payment_id: sandboxId(book.order.provider === 'stripe' ? 'pi' : 'pay'),
    state: how.outcome,
    amount_minor: book.order.amount_minor,
    payer_email: how.payerEmail,
    refunds_fail: false,
    created_at: book.now.toISOString(),
  };
  const { payment_id: paymentId, state, amount_minor: amount, payer_email: payerEmail } = payment;
  await execute(sql, statements.INSERT_PAYMENT, {
    paymentId,
    orderId: book.order.order_id,
    state,
    amount,
    payerEmail,
    createdAt: payment.created_at,
  });
  return payment;
}

function refused(message: string): AppError {
  return new AppError('INVALID_STATE', message);
}
