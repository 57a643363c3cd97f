/** Who takes the money. Each has one currency: Razorpay INR, Stripe USD. */
export type ProviderName = 'razorpay' | 'stripe';
export type Currency = 'INR' | 'USD';

/** A top-up to be paid. Amounts are in the currency's minor unit: paise, cents. */
export interface CheckoutOrder {
  readonly accountId: string;
  readonly topUpId: string;
  readonly amountMinor: bigint;
  readonly currency: Currency;
  /** Shown to the payer. */
  readonly description: string;
  readonly payerEmail: string;
  /** From then on the provider must not take money for it, where it can be told so. */
  readonly expiresAt: Date;
  /** Where the payer comes back to. It says nothing about whether they paid. */
  readonly returnUrl: string;
}

/** How a browser gets to the provider's pay page: a link (`GET`), or a form to be posted there. */
export interface Checkout {
  /** The provider's order or checkout session: `order_…`, `cs_…`. */
  readonly orderId: string;
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly fields: readonly { readonly name: string; readonly value: string }[];
}

/** What the provider says of a payment when it is asked. Never a reason to credit. */
export interface ProviderPayment {
  /** `pay_…`, `pi_…` */
  readonly paymentId: string;
  readonly amountMinor: bigint;
  readonly currency: string;
}

export interface RefundOrder {
  readonly paymentId: string;
  readonly amountMinor: bigint;
  readonly currency: Currency;
  /** The same key is one refund at the provider, however often it is asked for. */
  readonly idempotencyKey: string;
  readonly accountId: string;
  readonly topUpId: string;
}

export type RefundState = 'pending' | 'processed' | 'failed';

export interface ProviderRefund {
  /** `rfnd_…`, `re_…` */
  readonly refundId: string;
  readonly state: RefundState;
  readonly createdAt: Date;
}

/**
 * What signed data says, in our words. Facts are taken as they come, in any order; two that cannot both be true are kept
 * as a contradiction, and never decided by which came first.
 */
export type PaymentFact =
  | {
      readonly kind: 'authorized' | 'failed';
      readonly paymentId: string;
      readonly orderId: string | null;
      /** The provider's time of the event. */
      readonly at: Date;
    }
  | {
      readonly kind: 'captured';
      readonly paymentId: string;
      readonly orderId: string | null;
      readonly amountMinor: bigint;
      /** As the provider spells it, in upper case. */
      readonly currency: string;
      /** The provider's time of the event. */
      readonly capturedAt: Date;
      /** As we gave them to the provider with the order, where the event carries them. */
      readonly accountId: string | null;
      readonly topUpId: string | null;
      /** What tells who paid, such as `email:a@b.c`, `vpa:x@upi`, `card:…`: normalised, to be kept as hashes only. */
      readonly payers: readonly string[];
    }
  | {
      readonly kind: 'refund';
      readonly refundId: string;
      readonly paymentId: string;
      readonly amountMinor: bigint;
      readonly currency: string;
      readonly state: RefundState;
      /** When the refund object was made, by the provider's clock. */
      readonly createdAt: Date;
      /** Our idempotency key, where we asked for it and the event carries it. */
      readonly requestKey: string | null;
    }
  | {
      readonly kind: 'dispute';
      readonly disputeId: string;
      readonly paymentId: string;
      readonly amountMinor: bigint;
      readonly currency: string;
      readonly state: 'open' | 'won' | 'lost';
      /** How much of it is gone, where it is lost. */
      readonly lostMinor: bigint | null;
      /** True where the event says that the money has come back, whatever the state. */
      readonly isReturned: boolean;
      readonly createdAt: Date;
    };

/** A webhook whose signature holds. */
export interface SignedEvent {
  /** The provider's id of the event: the same for each delivery of it. */
  readonly eventId: string;
  /** As the provider calls it: `payment.captured`, `checkout.session.completed`. */
  readonly type: string;
  readonly createdAt: Date;
}

/** The headers of a request, names in lower case. */
export type WebhookHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** One payment provider. Money comes in through its webhooks alone. */
export interface PaymentProvider {
  readonly name: ProviderName;
  readonly currency: Currency;
  /** True for the built-in stand-in that moves no money. */
  readonly sandbox: boolean;
  /** @throws PROVIDER_UNAVAILABLE */
  openCheckout(order: CheckoutOrder): Promise<Checkout>;
  /** Payments of the order that the provider calls captured or paid. @throws PROVIDER_UNAVAILABLE */
  paymentsOf(orderId: string): Promise<ProviderPayment[]>;
  /** @throws PROVIDER_UNAVAILABLE where it may or may not have happened; INVALID_STATE where the provider refused it. */
  refund(order: RefundOrder): Promise<ProviderRefund>;
  /** Checks the signature over the very bytes that came. @throws INVALID_SIGNATURE for anything that is not the provider's. */
  verify(rawBody: Buffer, headers: WebhookHeaders): SignedEvent;
  /** What a verified body says; empty for events that are none of our business. Pure: a stored body can be read again. */
  facts(rawBody: Buffer): PaymentFact[];
}
