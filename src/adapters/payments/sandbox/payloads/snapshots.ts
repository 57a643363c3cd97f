/** What a provider knows when it writes an event: the input of the sandbox's payloads. */
export interface OrderSnapshot {
  /** `order_…`, `cs_…` */
  readonly orderId: string;
  readonly accountId: string;
  readonly topUpId: string;
  readonly amountMinor: bigint;
  readonly currency: string;
  readonly description: string;
  readonly returnUrl: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

export interface PaymentSnapshot {
  /** `pay_…`, `pi_…` */
  readonly paymentId: string;
  readonly amountMinor: bigint;
  readonly payerEmail: string;
  readonly createdAt: Date;
  /** Refunded so far, including this refund. */
  readonly refundedMinor?: bigint;
}

export interface RefundSnapshot {
  /** `rfnd_…`, `re_…` */
  readonly refundId: string;
  readonly amountMinor: bigint;
  readonly createdAt: Date;
  /** The key of our request; `null` for a refund made in the provider's console. */
  readonly requestKey: string | null;
}

export interface DisputeSnapshot {
  /** `disp_…`, `du_…` */
  readonly disputeId: string;
  readonly amountMinor: bigint;
  readonly createdAt: Date;
}

export interface EventSubject {
  readonly order: OrderSnapshot;
  readonly payment: PaymentSnapshot;
  readonly refund?: RefundSnapshot;
  readonly dispute?: DisputeSnapshot;
}

/** An event as sent, without its signature. */
export interface EventPayload {
  readonly eventId: string;
  readonly type: string;
  readonly body: string;
}

export function epochSecondsOf(date: Date): number {
  return Math.floor(date.getTime() / 1000);
}

/** @throws Error if the event is about something that the subject lacks */
export function required<T>(part: T | undefined, name: string): T {
  if (part === undefined) throw new Error(`This event needs a ${name}.`);
  return part;
}
