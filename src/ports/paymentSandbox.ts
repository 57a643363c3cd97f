import type { Currency, ProviderName, RefundState } from './paymentProvider.js';

/** An order at the stand-in for a provider. Its id is unguessable: whoever knows it may do anything with it. */
export interface SandboxOrder {
  readonly orderId: string;
  readonly provider: ProviderName;
  readonly amountMinor: bigint;
  readonly currency: Currency;
  readonly description: string;
  readonly payerEmail: string;
  readonly returnUrl: string;
  /** False once it was paid, or where the provider no longer takes money for it. */
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
  /** True where refunds that are asked for through the provider's interface are made to fail. */
  readonly refundsFail: boolean;
  readonly createdAt: Date;
  readonly refunds: readonly SandboxRefund[];
  readonly disputes: readonly SandboxDispute[];
}

/** One delivery of an event. Neither due nor delivered: held back, or given up after days. */
export interface SandboxWebhook {
  readonly type: string;
  readonly createdAt: Date;
  readonly dueAt: Date | null;
  readonly deliveredAt: Date | null;
  readonly attempts: number;
  /** HTTP status of the last attempt; `null` where there was no answer, or no attempt yet. */
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
  /** How many payments are made for the one order; two only at Razorpay. */
  readonly payments: 1 | 2;
  readonly payerEmail: string;
}

/**
 * What a newcomer can do with a payment that moves no money. Each sends the webhooks that the provider would send.
 *
 * All throw NOT_FOUND for what there is not, and INVALID_STATE for what the provider would not do.
 */
export interface PaymentSandbox {
  view(orderId: string): Promise<SandboxOrderView>;
  pay(orderId: string, how: SandboxPay): Promise<void>;
  /** Takes the money of a payment that was only authorized. */
  capture(orderId: string, paymentId: string): Promise<void>;
  /** As if made in the provider's console. `amountMinor` null is all that is left. */
  refund(orderId: string, paymentId: string, amountMinor: bigint | null, succeeds: boolean): Promise<void>;
  letRefundsFail(orderId: string, paymentId: string, fail: boolean): Promise<void>;
  /** Over the whole payment. */
  dispute(orderId: string, paymentId: string): Promise<void>;
  closeDispute(orderId: string, disputeId: string, outcome: 'won' | 'lost'): Promise<void>;
  /** Everything of this order that was not delivered yet is due now. */
  deliverNow(orderId: string): Promise<void>;
}
