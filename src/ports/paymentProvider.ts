/** A payment provider. Each has one currency: Razorpay INR, Stripe USD. */
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
  /** After this time the provider must not accept money for it, if the provider can be told so. */
  readonly expiresAt: Date;
  /** The page to which the payer returns. It does not prove that they paid. */
  readonly returnUrl: string;
}

/** How a browser gets to the provider's pay page: a link (`GET`), or a form to post there. */
export interface Checkout {
  /** The provider's order or checkout session: `order_…`, `cs_…`. */
  readonly orderId: string;
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly fields: readonly { readonly name: string; readonly value: string }[];
}

/** What the provider reports about a payment on request. Never a reason to credit. */
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
  /** The same key is one refund at the provider, however often it is requested. */
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
 * What signed data says, in our terms. Facts are accepted in any order. Two that cannot both be true are stored as a
 * contradiction; their order never decides.
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
      /** The provider's spelling, in upper case. */
      readonly currency: string;
      /** The provider's time of the event. */
      readonly capturedAt: Date;
      /** What we gave the provider with the order, if the event carries it. */
      readonly accountId: string | null;
      readonly topUpId: string | null;
      /**
       * What identifies the payer, such as `email:a@b.c`, `vpa:x@upi`, `card:…`. Normalized; store only hashes of it.
       */
      readonly payers: readonly string[];
    }
  | {
      readonly kind: 'refund';
      readonly refundId: string;
      readonly paymentId: string;
      readonly amountMinor: bigint;
      readonly currency: string;
      readonly state: RefundState;
      /** When the refund object was created, by the provider's clock. */
      readonly createdAt: Date;
      /** Our idempotency key, if we requested the refund and the event carries the key. */
      readonly requestKey: string | null;
    }
  | {
      readonly kind: 'dispute';
      readonly disputeId: string;
      readonly paymentId: string;
      readonly amountMinor: bigint;
      readonly currency: string;
      readonly state: 'open' | 'won' | 'lost';
      /** The amount lost, if it is lost. */
      readonly lostMinor: bigint | null;
      /** True if the event says that the money has come back, whatever the state. */
      readonly isReturned: boolean;
      readonly createdAt: Date;
    };

/** A webhook with a verified signature. */
export interface SignedEvent {
  /** The provider's id of the event, the same for each delivery. */
  readonly eventId: string;
  /** The provider's name for it: `payment.captured`, `checkout.session.completed`. */
  readonly type: string;
  readonly createdAt: Date;
}

/** The headers of a request, with names in lower case. */
export type WebhookHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** One payment provider. Only its webhooks bring money in. */
export interface PaymentProvider {
  readonly name: ProviderName;
  readonly currency: Currency;
  /** True for the built-in sandbox, which moves no money. */
  readonly sandbox: boolean;
  /** @throws PROVIDER_UNAVAILABLE */
  openCheckout(order: CheckoutOrder): Promise<Checkout>;
  /** Payments of the order that the provider reports as captured or paid. @throws PROVIDER_UNAVAILABLE */
  paymentsOf(orderId: string): Promise<ProviderPayment[]>;
  /** @throws PROVIDER_UNAVAILABLE if it may or may not have happened; INVALID_STATE if the provider refused it. */
  refund(order: RefundOrder): Promise<ProviderRefund>;
  /**
   * Checks the signature over the exact bytes received. @throws INVALID_SIGNATURE for anything not from the provider.
   */
  verify(rawBody: Buffer, headers: WebhookHeaders): SignedEvent;
  /** The facts in a verified body; empty for irrelevant events. Pure, so a stored body can be parsed again. */
  facts(rawBody: Buffer): PaymentFact[];
}
