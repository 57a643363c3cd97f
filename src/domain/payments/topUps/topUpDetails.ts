import { execute, type Sql, statement } from '../../../db/sql.js';
import type { RefundState } from '../../../ports/paymentProvider.js';
import { evaluate, type DisputeState, type PaymentFacts } from '../settlement/evaluate.js';
import { readPayments } from '../settlement/paymentRow.js';
import type { PaymentRow } from '../settlement/payment.sql.js';
import { REQUESTS_OF_TOPUPS } from '../refunds/refund.sql.js';
import { refundRequestOf, type RefundRequest } from '../refunds/refundRequest.js';
import type { TopUp } from './topUp.js';

/** A refund as its owner sees it: requested by us, reported by the provider, or both. */
export interface TopUpRefund {
  readonly id: string;
  readonly amountMinor: bigint;
  readonly state: 'requested' | 'refused' | RefundState;
  readonly createdAt: Date;
  /** By our own clock, which providers' times may differ from; `null` if we did not request it. */
  readonly requestedAt: Date | null;
}

export interface TopUpDispute {
  readonly id: string;
  readonly amountMinor: bigint;
  readonly state: DisputeState;
  readonly createdAt: Date;
}

/** A top-up with its refunds and disputes. */
export interface TopUpDetails extends TopUp {
  readonly refunds: readonly TopUpRefund[];
  readonly disputes: readonly TopUpDispute[];
  /** What can still be refunded, in the minor unit. MASTER may hold less. */
  readonly refundableMinor: bigint;
}

const PAYMENTS = statement<{ accountId: string; paymentIds: readonly string[] }, PaymentRow>(
  'topup-payments',
  `
    select p.* from payment p join topup t
      on t.account_id = p.account_id and t.id = p.topup_id and t.payment_id = p.payment_id
    where p.account_id = :accountId and p.topup_id = any (:paymentIds::uuid[])`,
);

/** Reads the refunds and disputes of these top-ups of one account. */
export async function readDetails(sql: Sql, accountId: string, topUps: readonly TopUp[]): Promise<TopUpDetails[]> {
  const paid = topUps.filter((topUp) => topUp.paymentId !== null).map((topUp) => topUp.id);
  if (paid.length === 0) return topUps.map((topUp) => ({ ...topUp, refunds: [], disputes: [], refundableMinor: 0n }));
  const payments = await execute(sql, PAYMENTS, { accountId, paymentIds: paid });
  const requests = (await execute(sql, REQUESTS_OF_TOPUPS, { accountId, topUpIds: paid })).map(refundRequestOf);
  const stored = await readPayments(sql, payments);
  const factsOf = new Map(payments.map((payment, n) => [payment.topup_id, stored[n]!.facts]));
  return topUps.map((topUp) => {
    const own = requests.filter((request) => request.topUpId === topUp.id);
    return { ...topUp, ...detailsOf(topUp, factsOf.get(topUp.id), own) };
  });
}

/** @param requests of this payment */
export function detailsOf(
  { microsPerMinor }: TopUp,
  facts: PaymentFacts | undefined,
  requests: readonly RefundRequest[],
): Pick<TopUpDetails, 'refunds' | 'disputes' | 'refundableMinor'> {
  if (!facts) return { refunds: [], disputes: [], refundableMinor: 0n };
  const told = facts.refunds.map(({ refundId, amountMicros, state, createdAt, requestId }) => ({
    id: requestId ?? refundId,
    amountMinor: amountMicros / microsPerMinor,
    state,
    createdAt,
    requestedAt: requests.find((request) => request.id === requestId)?.createdAt ?? null,
  }));
  const untold = requests
    .filter((request) => !told.some(({ id }) => id === request.id))
    .map((request) => ({
      id: request.id,
      amountMinor: request.amountMinor,
      state: request.status === 'refused' ? ('refused' as const) : ('requested' as const),
      createdAt: request.createdAt,
      requestedAt: request.createdAt,
    }));
  const disputes = facts.disputes.map(({ disputeId, amountMicros, state, createdAt }) => ({
    id: disputeId,
    amountMinor: amountMicros / microsPerMinor,
    state,
    createdAt,
  }));
  const desired = evaluate(facts);
  const goneMicros =
    desired.refunds.reduce((sum, refund) => sum + refund.countedMicros, 0n) +
    desired.disputes.reduce((sum, dispute) => sum + dispute.openMicros + dispute.lostMicros, 0n) +
    requests
      .filter((request) => desired.requests.get(request.id) === 'requested')
      .reduce((sum, request) => sum + request.amountMicros, 0n);
  const restMicros = facts.receivedMicros - goneMicros;
  return {
    refunds: [...told, ...untold].toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime()),
    disputes,
    refundableMinor: restMicros > 0n ? restMicros / microsPerMinor : 0n,
  };
}
