import type { RefundState } from '../../../ports/paymentProvider.js';

/** A refund according to its facts, independent of their order. Times and ids are the provider's. */
export interface RefundFacts {
  readonly refundId: string;
  readonly amountMicros: bigint;
  /** Final in this order: failed wins over processed, and processed over pending. */
  readonly state: RefundState;
  readonly createdAt: Date;
  /** Our request that it carries out. */
  readonly requestId: string | null;
}

export type DisputeState = 'open' | 'won' | 'lost';

export interface DisputeFacts {
  readonly disputeId: string;
  readonly amountMicros: bigint;
  readonly state: DisputeState;
  readonly createdAt: Date;
}

/**
 * A refund that we requested. `heldMicros` are in REFUND_HOLD while it is `requested`. `settled` and `returned` follow
 * from the refund's facts; `refused` is the provider's response to our call.
 */
export interface RequestFacts {
  readonly requestId: string;
  readonly heldMicros: bigint;
  readonly status: RequestStatus;
}
export type RequestStatus = 'requested' | 'settled' | 'returned' | 'refused';

/** Everything known about one payment. */
export interface PaymentFacts {
  /** What it credited, or what is in suspense for it; zero until it is captured. */
  readonly receivedMicros: bigint;
  readonly refunds: readonly RefundFacts[];
  readonly disputes: readonly DisputeFacts[];
  readonly requests: readonly RequestFacts[];
}

/** What the ledger should say about one payment. */
export interface DesiredState {
  /** In the order in which they count. `fromHoldMicros` is the part that our request already holds. */
  readonly refunds: readonly {
    readonly refundId: string;
    readonly requestId: string | null;
    readonly failed: boolean;
    readonly countedMicros: bigint;
    readonly fromHoldMicros: bigint;
  }[];
  readonly disputes: readonly {
    readonly disputeId: string;
    readonly openMicros: bigint;
    readonly lostMicros: bigint;
  }[];
  /** By request id. */
  readonly requests: ReadonlyMap<string, RequestStatus>;
  /** What open disputes should hold, if the owner has that much. */
  readonly disputedMicros: bigint;
}

/**
 * Computes what the ledger should say from everything known about a payment. It is pure, so neither the order nor the
 * number of deliveries matters.
 *
 * Counts refunds first, then what our requests hold, then lost disputes, then open ones; together never more than came
 * in.
 */
export function evaluate(facts: PaymentFacts): DesiredState {
  const remaining = new Remaining(facts.receivedMicros);
  const requests = new Map(facts.requests.map((request) => [request.requestId, request.status]));
  const heldOf = new Map(facts.requests.map((request) => [request.requestId, request]));

  const refunds = facts.refunds.toSorted(byAge).map((refund) => {
    const countedMicros = refund.state === 'processed' ? remaining.take(refund.amountMicros) : 0n;
    const request = refund.requestId === null ? undefined : heldOf.get(refund.requestId);
    const isHeld = request !== undefined && (request.status === 'requested' || request.status === 'settled');
    if (isHeld && refund.state === 'processed') requests.set(request.requestId, 'settled');
    if (isHeld && refund.state === 'failed') requests.set(request.requestId, 'returned');
    return {
      refundId: refund.refundId,
      requestId: isHeld ? request.requestId : null,
      failed: refund.state === 'failed',
      countedMicros,
      fromHoldMicros: isHeld ? least(countedMicros, request.heldMicros) : 0n,
    };
  });
  for (const { requestId, heldMicros } of facts.requests) {
    if (requests.get(requestId) === 'requested') remaining.take(heldMicros);
  }

  const disputes = facts.disputes.toSorted(byAge);
  const lost = new Map(
    disputes.map(({ disputeId, state, amountMicros }) => [
      disputeId,
      state === 'lost' ? remaining.take(amountMicros) : 0n,
    ]),
  );
  const counted = disputes.map(({ disputeId, state, amountMicros }) => ({
    disputeId,
    openMicros: state === 'open' ? remaining.take(amountMicros) : 0n,
    lostMicros: lost.get(disputeId) ?? 0n,
  }));
  return {
    refunds,
    disputes: counted,
    requests,
    disputedMicros: counted.reduce((sum, { openMicros }) => sum + openMicros, 0n),
  };
}

/** What came in, minus everything counted so far. */
class Remaining {
  constructor(private restMicros: bigint) {}

  take(amountMicros: bigint): bigint {
    const taken = least(amountMicros, this.restMicros);
    this.restMicros -= taken;
    return taken;
  }
}

function byAge(
  a: { createdAt: Date; refundId?: string; disputeId?: string },
  b: { createdAt: Date; refundId?: string; disputeId?: string },
): number {
  const age = a.createdAt.getTime() - b.createdAt.getTime();
  if (age !== 0) return age;
  return (a.refundId ?? a.disputeId ?? '') < (b.refundId ?? b.disputeId ?? '') ? -1 : 1;
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
