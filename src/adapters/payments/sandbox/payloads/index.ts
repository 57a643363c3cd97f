/** Builds and signs the providers' webhooks without sending them. The sandbox sends them; tests deliver them. */
import type { ProviderName } from '../../../../ports/paymentProvider.js';
import { signRazorpay } from '../../razorpay/signature.js';
import { signStripe } from '../../stripe/signature.js';
import type { EventPayload } from './snapshots.js';

export { razorpayEventId, sandboxId } from './ids.js';
export { RAZORPAY_EVENTS, razorpayEvent, type RazorpayEventType } from './razorpayPayloads.js';
export { STRIPE_EVENTS, stripeEvent, type StripeEventOptions, type StripeEventType } from './stripePayloads.js';
export type {
  DisputeSnapshot,
  EventPayload,
  EventSubject,
  OrderSnapshot,
  PaymentSnapshot,
  RefundSnapshot,
} from './snapshots.js';

/** The headers with which the provider would deliver it now. Stripe dates its signature by the real clock. */
export function signedHeaders(
  provider: ProviderName,
  event: Pick<EventPayload, 'eventId' | 'body'>,
  secret: string,
): Record<string, string> {
  if (provider === 'stripe') {
    return {
      'content-type': 'application/json; charset=utf-8',
      'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
      'stripe-signature': signStripe(event.body, secret),
    };
  }
  return {
    'content-type': 'application/json',
    'user-agent': 'Razorpay-Webhook/v1',
    'x-razorpay-event-id': event.eventId,
    'x-razorpay-signature': signRazorpay(event.body, secret),
  };
}
