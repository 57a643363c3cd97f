import type Stripe from 'stripe';

import { AppError } from '../../../errors.js';
import type {
  Checkout,
  CheckoutOrder,
  PaymentFact,
  PaymentProvider,
  ProviderPayment,
  ProviderRefund,
  RefundOrder,
  SignedEvent,
  WebhookHeaders,
} from '../../../ports/paymentProvider.js';
import { minorNumber } from '../amounts.js';
import { callStripe, stripeClient, type StripeClientOptions } from './client.js';
import { stripeFacts, stripeRefundState } from './facts.js';
import { verifyStripe } from './signature.js';

/**
 * Stripe keeps a session open for at least half an hour and at most a day. One minute of margin allows for the
 * request's travel time.
 */
const MIN_OPEN_MS = 31 * 60_000;
const MAX_OPEN_MS = (24 * 60 - 1) * 60_000;

export interface StripeOptions extends StripeClientOptions {
  /** One, or two while the secret is being rotated. */
  readonly webhookSecrets: readonly string[];
}

export class StripeProvider implements PaymentProvider {
  readonly name = 'stripe';
  readonly currency = 'USD';
  readonly sandbox = false;
  private readonly client: Stripe;

  constructor(private readonly options: StripeOptions) {
    this.client = stripeClient(options);
  }

  async openCheckout(order: CheckoutOrder): Promise<Checkout> {
    const params = sessionParams(order);
    // The key includes the expiry: Stripe refuses a known key with other parameters, and a later attempt has a later
    // expiry.
    const idempotencyKey = `topup:${order.topUpId}:${params.expires_at}`;
    const session = await callStripe(() => this.client.checkout.sessions.create(params, { idempotencyKey }));
    if (!session.id || !session.url) throw unreadable();
    return { orderId: session.id, method: 'GET', url: session.url, fields: [] };
  }

  async paymentsOf(sessionId: string): Promise<ProviderPayment[]> {
    const session = await callStripe(() => this.client.checkout.sessions.retrieve(sessionId));
    const { payment_intent: intent, amount_total: amount, currency } = session;
    if (session.payment_status !== 'paid' || intent === null) return [];
    if (amount === null || currency === null) throw unreadable();
    const paymentId = typeof intent === 'string' ? intent : intent.id;
    return [{ paymentId, amountMinor: BigInt(amount), currency: currency.toUpperCase() }];
  }

  async refund(order: RefundOrder): Promise<ProviderRefund> {
    const amount = minorNumber(order.amountMinor);
    const metadata = {
      request_key: order.idempotencyKey,
      account_id: order.accountId,
      topup_id: order.topUpId,
    };
    const refund = await callStripe(() =>
      this.client.refunds.create(
        { payment_intent: order.paymentId, amount, metadata },
        { idempotencyKey: order.idempotencyKey },
      ),
    );
    if (!refund.id) throw unreadable();
    return {
      refundId: refund.id,
      state: stripeRefundState(refund.status),
      createdAt: new Date(refund.created * 1000),
    };
  }

  verify(rawBody: Buffer, headers: WebhookHeaders): SignedEvent {
    return verifyStripe(rawBody, headers, this.options.webhookSecrets);
  }

  facts(rawBody: Buffer): PaymentFact[] {
    return stripeFacts(rawBody);
  }
}

function sessionParams(order: CheckoutOrder): Stripe.Checkout.SessionCreateParams {
  const metadata = { account_id: order.accountId, topup_id: order.topUpId };
  return {
    mode: 'payment',
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: order.currency.toLowerCase(),
          unit_amount: minorNumber(order.amountMinor),
          product_data: { name: order.description },
        },
      },
    ],
    metadata,
    payment_intent_data: { metadata },
    client_reference_id: order.topUpId,
    ...(order.payerEmail === '' ? {} : { customer_email: order.payerEmail }),
    expires_at: expiryOf(order.expiresAt),
    success_url: order.returnUrl,
    cancel_url: order.returnUrl,
    // The quote is in dollars: Stripe must not charge another currency instead.
    adaptive_pricing: { enabled: false },
  };
}

/** Epoch seconds. Uses the machine's clock, because Stripe uses real time. */
function expiryOf(expiresAt: Date): number {
  const nowMs = Date.now();
  return Math.floor(Math.min(Math.max(expiresAt.getTime(), nowMs + MIN_OPEN_MS), nowMs + MAX_OPEN_MS) / 1000);
}

function unreadable(): AppError {
  return new AppError('PROVIDER_UNAVAILABLE', 'Stripe sent an unreadable response. Try again.');
}
