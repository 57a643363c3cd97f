import type { Deltas } from '../../ledger/movements.js';
import type { DesiredState, RequestStatus } from './evaluate.js';
import { against, isNothing, sum, type Working } from './working.js';

/** What is posted so far. */
export interface BookedState {
  readonly refunds: ReadonlyMap<string, BookedRefund>;
  readonly disputes: ReadonlyMap<string, { readonly openMicros: bigint; readonly lostMicros: bigint }>;
  readonly requests: ReadonlyMap<string, { readonly heldMicros: bigint; readonly status: RequestStatus }>;
}

export interface BookedRefund {
  readonly countedMicros: bigint;
  readonly fromHoldMicros: bigint;
  /** How many postings it has. */
  readonly bookings: number;
}

/** A posting to make. */
export interface Step {
  readonly type: 'REFUND' | 'DISPUTE';
  /** The business fact behind it, which ends the idempotency key. */
  readonly fact: string;
  /** The id of the provider's refund or dispute. */
  readonly subject: string;
  readonly deltas: Deltas;
}

/** The new state of one refund. */
export interface RefundChange extends BookedRefund {
  readonly refundId: string;
}

interface RefundStep {
  readonly change: RefundChange;
  /** The change of what is refunded for good; may be negative. */
  readonly takenMicros: bigint;
  readonly step: () => Step | null;
}

/**
 * Posts refunds and lost disputes so that they match the desired state. What is given back is posted before what is
 * taken.
 *
 * @param revision of the payment; makes the key of a posting that may be repeated
 */
export function bookForGood(
  working: Working,
  booked: BookedState,
  desired: DesiredState,
  context: { provider: string; revision: number },
): { steps: Step[]; refunds: RefundChange[] } {
  const intoHold = desired.disputedMicros > 0n;
  const refunds = desired.refunds.map((refund) => refundStep(working, booked, desired, refund, context.provider));
  const lost = desired.disputes.map(({ disputeId, lostMicros }) => {
    const moreMicros = lostMicros - (booked.disputes.get(disputeId)?.lostMicros ?? 0n);
    const step = (): Step | null => {
      const deltas = moreMicros < 0n ? working.giveBack(-moreMicros, { intoHold }) : working.take(moreMicros);
      const fact = `dispute:${context.provider}:${disputeId}:lost:${context.revision}`;
      return stepOf({ type: 'DISPUTE', fact, subject: disputeId, deltas: against('CASH', deltas) });
    };
    return { takenMicros: moreMicros, step };
  });
  const all = [...refunds, ...lost];
  const ordered = [...all.filter((part) => part.takenMicros <= 0n), ...all.filter((part) => part.takenMicros > 0n)];
  const steps = ordered.map((part) => part.step()).filter((step) => step !== null);
  const made = new Set(steps.filter((step) => step.type === 'REFUND').map((step) => step.subject));
  return {
    steps,
    refunds: refunds.map(({ change }) => ({
      ...change,
      bookings: change.bookings + (made.has(change.refundId) ? 1 : 0),
    })),
  };
}

/** Makes the payment's disputes hold what they should. */
export function bookHold(
  working: Working,
  booked: BookedState,
  desired: DesiredState,
  context: { provider: string; revision: number },
): Step | null {
  const deltas = working.hold(desired.disputedMicros);
  const changed = desired.disputes.find(
    ({ disputeId, openMicros }) => openMicros !== (booked.disputes.get(disputeId)?.openMicros ?? 0n),
  );
  const disputeId = (changed ?? desired.disputes[0])?.disputeId;
  if (disputeId === undefined) return null;
  const fact = `dispute:${context.provider}:${disputeId}:held:${context.revision}`;
  return stepOf({ type: 'DISPUTE', fact, subject: disputeId, deltas });
}

/** True if anything must be posted, or a request has ended. */
export function hasChanged(booked: BookedState, desired: DesiredState): boolean {
  return (
    desired.refunds.some(({ refundId, countedMicros, fromHoldMicros, requestId }) => {
      const before = booked.refunds.get(refundId);
      const isSettled = requestId !== null && booked.requests.get(requestId)?.status === 'settled';
      const heldMicros = isSettled ? least(fromHoldMicros, before?.fromHoldMicros ?? 0n) : fromHoldMicros;
      return countedMicros !== (before?.countedMicros ?? 0n) || heldMicros !== (before?.fromHoldMicros ?? 0n);
    }) ||
    desired.disputes.some(({ disputeId, openMicros, lostMicros }) => {
      const before = booked.disputes.get(disputeId);
      return openMicros !== (before?.openMicros ?? 0n) || lostMicros !== (before?.lostMicros ?? 0n);
    }) ||
    [...desired.requests].some(([requestId, status]) => booked.requests.get(requestId)?.status !== status)
  );
}

function refundStep(
  working: Working,
  booked: BookedState,
  desired: DesiredState,
  refund: DesiredState['refunds'][number],
  provider: string,
): RefundStep {
  const { refundId, requestId, failed } = refund;
  const before = booked.refunds.get(refundId) ?? { countedMicros: 0n, fromHoldMicros: 0n, bookings: 0 };
  const request = requestId === null ? undefined : booked.requests.get(requestId);
  const isLeaving = request?.status === 'requested' && desired.requests.get(requestId!) !== 'requested';
  // What a settled request covered can only shrink: the rest of its hold is back in the wallet.
  const fromHoldMicros = isLeaving ? refund.fromHoldMicros : least(refund.fromHoldMicros, before.fromHoldMicros);
  const takenMicros = refund.countedMicros - fromHoldMicros - (before.countedMicros - before.fromHoldMicros);

  const step = (): Step | null => {
    const back = isLeaving ? request.heldMicros - fromHoldMicros : before.fromHoldMicros - fromHoldMicros;
    const deltas = sum(
      isLeaving ? working.leaveRefundHold(request.heldMicros) : {},
      working.putIn(back),
      takenMicros < 0n
        ? working.giveBack(-takenMicros, { intoHold: desired.disputedMicros > 0n })
        : working.take(takenMicros),
    );
    const nth = before.bookings === 0 ? '' : `:${before.bookings}`;
    const fact = `refund:${provider}:${refundId}${failed ? ':returned' : nth}`;
    return stepOf({ type: 'REFUND', fact, subject: refundId, deltas: against('CASH', deltas) });
  };
  const change = { refundId, countedMicros: refund.countedMicros, fromHoldMicros, bookings: before.bookings };
  return { change, takenMicros, step };
}

function stepOf(step: Step): Step | null {
  return isNothing(step.deltas) ? null : step;
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
