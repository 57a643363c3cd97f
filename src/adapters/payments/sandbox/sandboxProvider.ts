import { type Database, execute } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import type {
  Checkout,
  CheckoutOrder,
  Currency,
  PaymentFact,
  PaymentProvider,
  ProviderName,
  ProviderPayment,
  ProviderRefund,
  RefundOrder,
  SignedEvent,
  WebhookHeaders,
} from '../../../ports/paymentProvider.js';
import { razorpayFacts } from '../razorpay/facts.js';
import { verifyRazorpay } from '../razorpay/signature.js';
import { stripeFacts } from '../stripe/facts.js';
import { verifyStripe } from '../stripe/signature.js';
import { paymentOf, readBook } from './book.js';
import { sandboxId } from './payloads/index.js';
import { makeRefund } from './refunds.js';
import { INSERT_ORDER, ORDER_OF_PAYMENT } from './sandbox.sql.js';

export interface SandboxProviderDeps {
  readonly db: Database;
  readonly publicUrl: string;
  /** Signs its webhooks. */
  readonly secret: string;
  /** Called when webhooks are due. */
  readonly wake: () => void;
}

/**
 * Stands in for a provider and moves no money. The same code reads its webhooks and the real provider's. Only its
 * orders, payments and refunds are rows here instead of API calls.
 */
export class SandboxProvider implements PaymentProvider {
  readonly sandbox = true;
  readonly currency: Currency;

  constructor(
    readonly name: ProviderName,
    private readonly deps: SandboxProviderDeps,
  ) {
    this.currency = name === 'stripe' ? 'USD' : 'INR';
  }

  async openCheckout(order: CheckoutOrder): Promise<Checkout> {
    const { db, publicUrl } = this.deps;
    const [row] = await execute(db.sql, INSERT_ORDER, {
      orderId: sandboxId(this.name === 'stripe' ? 'cs_test' : 'order'),
      name: this.name,
      accountId: order.accountId,
      topUpId: order.topUpId,
      amountMinor: String(order.amountMinor),
      currency: order.currency,
      description: order.description,
      payerEmail: order.payerEmail,
      returnUrl: order.returnUrl,
      expiresAt: order.expiresAt.toISOString(),
    });
    const orderId = row!.order_id;
    return { orderId, method: 'GET', url: `${publicUrl}/sandbox/pay/${orderId}`, fields: [] };
  }

  async paymentsOf(orderId: string): Promise<ProviderPayment[]> {
    const { order, payments } = await readBook(this.deps.db.sql, orderId, false);
    return payments
      .filter(({ state }) => state === 'captured')
      .map((payment) => ({
        paymentId: payment.payment_id,
        amountMinor: BigInt(payment.amount_minor),
        currency: order.currency,
      }));
  }

  async refund(order: RefundOrder): Promise<ProviderRefund> {
    const refund = await this.deps.db.transaction(async ({ sql }) => {
      const [found] = await execute(sql, ORDER_OF_PAYMENT, { paymentId: order.paymentId });
      if (!found) throw new AppError('INVALID_STATE', 'Payment not found.');
      const book = await readBook(sql, found.order_id, true);
      const asked = book.refunds.find(
        (row) => row.request_key === order.idempotencyKey && row.payment_id === order.paymentId,
      );
      if (asked && asked.amount_minor !== String(order.amountMinor)) {
        throw new AppError('INVALID_STATE', 'This key was used for another refund.');
      }
      if (asked) return asked;
      return makeRefund(sql, book, {
        paymentId: order.paymentId,
        amountMinor: order.amountMinor,
        succeeds: !paymentOf(book, order.paymentId).refunds_fail,
        requestKey: order.idempotencyKey,
      });
    });
    this.deps.wake();
    // The webhook reports the outcome, as with the real providers.
    return { refundId: refund.refund_id, state: 'pending', createdAt: new Date(refund.created_at) };
  }

  verify(rawBody: Buffer, headers: WebhookHeaders): SignedEvent {
    const secrets = [this.deps.secret];
    return this.name === 'stripe' ? verifyStripe(rawBody, headers, secrets) : verifyRazorpay(rawBody, headers, secrets);
  }

  facts(rawBody: Buffer): PaymentFact[] {
    return this.name === 'stripe' ? stripeFacts(rawBody) : razorpayFacts(rawBody);
  }
}
