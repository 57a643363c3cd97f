import type { Currency, ProviderName, RefundState } from './paymentProvider.js';

/** An order at the sandbox provider. Its id is unguessable: anyone who knows it may do anything with the order. */
export interface SandboxOrder {
  readonly orderId: string;
  readonly provider: ProviderName;
  readonly amountMinor: bigint;
  readonly currency: Currency;
  readonly description: string;
  readonly payerEmail: string;
  readonly returnUrl: string;
  /** False once it is paid, or if the provider no longer accepts money for it. */
  readonly payable: boolean;
  readonly expired: boolean;
}

export interface SandboxRefund {
  readonly refundId: string;
  readonly amountMinor: bigint;
  readonly state: RefundState;
  readonly createdAt: Date;
}

export interface SandboxDispute {
  readonly disputeId: string;
  readonly amountMinor: bigint;
  readonly state: 'open' | 'won' | 'lost';
  readonly createdAt: Date;
}

export interface SandboxPayment {
  readonly paymentId: string;
  readonly state: 'authorized' | 'captured' | 'failed';
  readonly amountMinor: bigint;
  /** What can still be refunded. */
  readonly refundableMinor: bigint;
  readonly payerEmail: string;
  /** True if refunds requested through the provider's API are made to fail. */
  readonly refundsFail: boolean;
  readonly createdAt: Date;
  readonly refunds: readonly SandboxRefund[];
  readonly disputes: readonly SandboxDispute[];
}

/** One delivery of an event. If neither due nor delivered, it is held back, or was given up after days. */
export interface SandboxWebhook {
  readonly type: string;
  readonly createdAt: Date;
  readonly dueAt: Date | null;
  readonly deliveredAt: Date | null;
  readonly attempts: number;
  /** HTTP status of the last attempt; `null` if there was no response, or no attempt yet. */
  readonly lastStatus: number | null;
}

export interface SandboxOrderView {
  readonly order: SandboxOrder;
  readonly payments: readonly SandboxPayment[];
  readonly webhooks: readonly SandboxWebhook[];
}

export interface SandboxPay {
  readonly outcome: 'captured' | 'authorized' | 'failed';
  /** When its webhooks are due; `null` holds them back until `deliverNow`. */
  readonly deliverAfterSeconds: number | null;
  /** How often each webhook is delivered, 1 to 10. */
  readonly deliveries: number;
  /** How many payments are made for the same order; two only at Razorpay. */
  readonly payments: 1 | 2;
  readonly payerEmail: string;
}

/**
 * Plays a payment that moves no money. Each call sends the webhooks that the provider would send.
 *
 * All throw NOT_FOUND if something does not exist, and INVALID_STATE for what the provider would refuse.
 */
export interface PaymentSandbox {
  view(orderId: string): Promise<SandboxOrderView>;
  pay(orderId: string, how: SandboxPay): Promise<void>;
  /** Captures a payment that was only authorized. */
  capture(orderId: string, paymentId: string): Promise<void>;
  /** Like a refund made in the provider's console. A null `amountMinor` refunds everything that is left. */
  refund(orderId: string, paymentId: string, amountMinor: bigint | null, succeeds: boolean): Promise<void>;
  letRefundsFail(orderId: string, paymentId: string, fail: boolean): Promise<void>;
  /** Disputes the whole payment. */
  dispute(orderId: string, paymentId: string): Promise<void>;
  closeDispute(orderId: string, disputeId: string, outcome: 'won' | 'lost'): Promise<void>;
  /** Makes everything of this order that is not delivered yet due now. */
  deliverNow(orderId: string): Promise<void>;
}
