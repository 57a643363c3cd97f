import { createHash } from 'node:crypto';

import { z } from 'zod';

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
import { callRazorpay, razorpayClient, type RazorpayClientOptions } from './client.js';
import { razorpayFacts } from './facts.js';
import { verifyRazorpay } from './signature.js';

/** Razorpay's own checkout page, opened by posting a form. */
const HOSTED_CHECKOUT_URL = 'https://api.razorpay.com/v1/checkout/embedded';
const MAX_DESCRIPTION_LENGTH = 255;
const REFUND_KEY = /^[\w-]{10,100}$/;

export interface RazorpayOptions extends RazorpayClientOptions {
  /** One, or two while the secret is being rotated. */
  readonly webhookSecrets: readonly string[];
  /** Our endpoint that turns Razorpay's final form post into a visit of the page in its `to`. */
  readonly returnEndpoint: string;
}

const ORDER = z.object({ id: z.string().min(1) });
const PAYMENTS = z.object({
  items: z.array(z.object({ id: z.string(), amount: z.coerce.bigint(), currency: z.string(), status: z.string() })),
});
const REFUND = z.object({ id: z.string().min(1), status: z.string().nullish(), created_at: z.number() });

export class RazorpayProvider implements PaymentProvider {
  readonly name = 'razorpay';
  readonly currency = 'INR';
  readonly sandbox = false;

  constructor(private readonly options: RazorpayOptions) {}

  async openCheckout(order: CheckoutOrder): Promise<Checkout> {
    const amount = minorNumber(order.amountMinor);
    const notes = { accountId: order.accountId, topUpId: order.topUpId };
    const client = await razorpayClient(this.options);
    const answer = await callRazorpay(() =>
      client.orders.create({ amount, currency: order.currency, receipt: order.topUpId, notes }),
    );
    const { id } = documented(ORDER, answer);
    return { orderId: id, method: 'POST', url: HOSTED_CHECKOUT_URL, fields: this.fieldsOf(order, id) };
  }

  private fieldsOf(order: CheckoutOrder, orderId: string): Checkout['fields'] {
    const back = `${this.options.returnEndpoint}?${new URLSearchParams({ to: order.returnUrl }).toString()}`;
    return Object.entries({
      key_id: this.options.keyId,
      order_id: orderId,
      amount: String(order.amountMinor),
      currency: order.currency,
      name: 'Dhara',
      description: order.description.slice(0, MAX_DESCRIPTION_LENGTH),
      'prefill[email]': order.payerEmail,
      'notes[accountId]': order.accountId,
      'notes[topUpId]': order.topUpId,
      callback_url: back,
      cancel_url: back,
    }).map(([name, value]) => ({ name, value }));
  }

  async paymentsOf(orderId: string): Promise<ProviderPayment[]> {
    const client = await razorpayClient(this.options);
    const answer = await callRazorpay(() => client.orders.fetchPayments(orderId));
    return documented(PAYMENTS, answer)
      .items.filter(({ status }) => status === 'captured' || status === 'refunded')
      .map(({ id, amount, currency }) => ({ paymentId: id, amountMinor: amount, currency: currency.toUpperCase() }));
  }

  async refund(order: RefundOrder): Promise<ProviderRefund> {
    const amount = minorNumber(order.amountMinor);
    const notes = { requestKey: order.idempotencyKey, accountId: order.accountId, topUpId: order.topUpId };
    const client = await razorpayClient(this.options, refundKey(order.idempotencyKey));
    const answer = await callRazorpay(() =>
      client.payments.refund(order.paymentId, { amount, speed: 'normal', notes }),
    );
    const refund = documented(REFUND, answer);
    const state = refund.status === 'processed' || refund.status === 'failed' ? refund.status : 'pending';
    return { refundId: refund.id, state, createdAt: new Date(refund.created_at * 1000) };
  }

  verify(rawBody: Buffer, headers: WebhookHeaders): SignedEvent {
    return verifyRazorpay(rawBody, headers, this.options.webhookSecrets);
  }

  facts(rawBody: Buffer): PaymentFact[] {
    return razorpayFacts(rawBody);
  }
}

/** Razorpay accepts letters, digits, `-` and `_`; any other key is hashed. */
function refundKey(key: string): string {
  return REFUND_KEY.test(key) ? key : createHash('sha256').update(key).digest('hex');
}

/** @throws PROVIDER_UNAVAILABLE if the response is not as documented, because the outcome is unknown */
function documented<Schema extends z.ZodType>(schema: Schema, answer: unknown): z.output<Schema> {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  throw new AppError('PROVIDER_UNAVAILABLE', 'Razorpay sent an unreadable response. Try again.');
}
