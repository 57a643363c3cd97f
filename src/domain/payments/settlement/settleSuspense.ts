import type { SuspenseRow } from '../support/supportPayments.views.js';
import { execute, type Sql, statement } from '../../../db/sql.js';
import { raiseAlert } from '../../shared/alerts/raiseAlert.js';
import { newId } from '../../shared/ids.js';
import { formatCredits } from '../../ledger/credits.js';
import { post } from '../../ledger/posting.js';
import { hasChanged } from './book.js';
import { evaluate, type DesiredState } from './evaluate.js';
import { SAVE_DISPUTE, SAVE_PAYMENT, SAVE_REFUND } from './payment.sql.js';
import { readPayment, type StoredPayment } from './paymentRow.js';
import type { PaymentRow } from './payment.sql.js';

const OPEN_ITEM = statement<{
  accountId: string;
  id: string;
  provider: string;
  paymentId: string;
  topUpId: string | null;
  orderId: string | null;
  amountMinor: string | null;
  currency: string | null;
  amountMicros: string | null;
  reason: string;
}>(
  'suspense-open',
  `
    insert into suspense_item
      (account_id, id, provider, payment_id, topup_id, order_id, amount_minor, currency, amount_micros, reason, created_at)
    values (:accountId, :id, :provider, :paymentId, :topUpId, :orderId, :amountMinor, :currency, :amountMicros, :reason, service_now())
    on conflict do nothing`,
);

const ITEM_REFUNDED = statement<{ accountId: string; provider: string; paymentId: string; isGone: boolean }>(
  'suspense-refunded',
  `
    update suspense_item set status = case when :isGone then 'refunded' else 'open' end,
      resolved_at = case when :isGone then service_now() end
    where account_id = :accountId and provider = :provider and payment_id = :paymentId and status <> 'resolved'
      and (status = 'refunded') <> :isGone`,
);

/** Money that cannot be credited, so staff must look at it. Posted if its worth in credits is known. */
export async function openSuspense(sql: Sql, payment: PaymentRow, reason: string): Promise<void> {
  const { account_id: accountId, provider, payment_id: paymentId, topup_id: topUpId } = payment;
  const amountMicros = payment.micros_per_minor === null ? null : BigInt(payment.credited_micros);
  await execute(sql, OPEN_ITEM, {
    accountId,
    id: newId(),
    provider,
    paymentId,
    topUpId,
    orderId: payment.order_id,
    amountMinor: payment.amount_minor,
    currency: payment.currency,
    amountMicros: amountMicros?.toString() ?? null,
    reason,
  });
  if (amountMicros !== null && amountMicros > 0n && payment.withdrawn_micros === null) {
    await post(sql, {
      ownerId: accountId,
      type: 'TOPUP',
      idempotencyKey: `suspense:${provider}:${paymentId}`,
      deltas: { CASH: -amountMicros, SUSPENSE: amountMicros },
      ...causeOf(payment),
    });
  }
  const worth = amountMicros === null ? 'not posted' : `${formatCredits(amountMicros)} credits in suspense`;
  await raiseAlert(sql, {
    kind: 'payment.mismatch',
    subject: paymentId,
    message: `A ${provider} payment of ${payment.amount_minor} ${payment.currency} (minor units) is not credited: ${reason}; ${worth}.`,
    accountId,
  });
}

/**
 * Refunds and lost disputes take money out of suspense. Open disputes hold nothing, because the money is held already.
 */
export async function settleSuspense(sql: Sql, payment: PaymentRow): Promise<void> {
  const stored = await readPayment(sql, payment);
  const desired = evaluate(stored.facts);
  const { account_id: accountId, provider, payment_id: paymentId } = payment;
  if (hasChanged(stored.booked, desired)) {
    for (const refund of desired.refunds) {
      const before = stored.booked.refunds.get(refund.refundId);
      const moreMicros = refund.countedMicros - (before?.countedMicros ?? 0n);
      if (moreMicros === 0n) continue;
      const fact = `refund:${payment.provider}:${refund.refundId}`;
      const suffix = refund.failed ? ':returned' : before?.bookings ? `:${before.bookings}` : '';
      await postOut(sql, payment, 'REFUND', fact + suffix, moreMicros);
      const bookings = (before?.bookings ?? 0) + 1;
      await execute(sql, SAVE_REFUND, {
        accountId,
        provider,
        refundId: refund.refundId,
        countedMicros: refund.countedMicros.toString(),
        fromHoldMicros: '0',
        bookings,
      });
    }
    for (const { disputeId, openMicros, lostMicros } of desired.disputes) {
      const moreMicros = lostMicros - (stored.booked.disputes.get(disputeId)?.lostMicros ?? 0n);
      const fact = `dispute:${payment.provider}:${disputeId}:lost:${payment.revision}`;
      if (moreMicros !== 0n) await postOut(sql, payment, 'DISPUTE', fact, moreMicros);
      const saved = { openMicros: openMicros.toString(), lostMicros: lostMicros.toString() };
      await execute(sql, SAVE_DISPUTE, { accountId, provider, disputeId, ...saved });
    }
    await execute(sql, SAVE_PAYMENT, {
      accountId,
      provider,
      paymentId,
      taken: '{}',
      held: '{}',
      disputedMicros: desired.disputedMicros.toString(),
      refundedAt: stored.refundedAt,
    });
  }
  const isRefunded = isGone(payment, stored, desired);
  await execute(sql, ITEM_REFUNDED, { accountId, provider, paymentId, isGone: isRefunded });
}

/** Whether all of it has gone back. Money in a currency without a rate is compared in that currency. */
function isGone(payment: PaymentRow, stored: StoredPayment, desired: DesiredState): boolean {
  const { credited_micros: micros, amount_minor: minor } = payment;
  const lostMicros = desired.disputes.reduce((sum, dispute) => sum + dispute.lostMicros, 0n);
  const goneMicros = desired.refunds.reduce((sum, refund) => sum + refund.countedMicros, lostMicros);
  if (payment.micros_per_minor !== null) return goneMicros >= BigInt(micros);
  const refundedMinor = stored.refundRows
    .filter((refund) => refund.state === 'processed')
    .reduce((sum, refund) => sum + BigInt(refund.amount_minor), 0n);
  return refundedMinor >= BigInt(minor ?? 0);
}

async function postOut(
  sql: Sql,
  payment: PaymentRow,
  type: 'REFUND' | 'DISPUTE',
  fact: string,
  amountMicros: bigint,
): Promise<void> {
  await post(sql, {
    ownerId: payment.account_id,
    type,
    idempotencyKey: fact,
    deltas: { SUSPENSE: -amountMicros, CASH: amountMicros },
    ...causeOf(payment),
  });
}

function causeOf(payment: PaymentRow) {
  const { provider, payment_id: paymentId } = payment;
  return { reference: payment.topup_id ?? paymentId, metadata: { provider, payment: paymentId } };
}

/** The columns of a suspense item that staff see. */
export const ITEM_COLUMNS = `
  account_id, id, provider, payment_id, topup_id, order_id, amount_minor, currency, amount_micros, reason, status,
  resolution, created_at, resolved_at`;

export const RESOLVE_SUSPENSE = statement<{ id: string; resolution: string; actorId: string }, SuspenseRow>(
  'support-suspense-resolve',
  `
    update suspense_item set status = 'resolved', resolution = :resolution, resolved_by = :actorId, resolved_at = service_now()
    where id = :id and status = 'open' returning ${ITEM_COLUMNS}`,
);
