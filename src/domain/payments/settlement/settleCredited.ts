import { execute, type Sql } from '../../../db/sql.js';
import { settleReferral } from '../referrals/settleReferral.js';
import { lockWallet } from '../../ledger/lockWallet.js';
import { post } from '../../ledger/posting.js';
import { notifyWallet } from '../../ledger/wallet.service.js';
import { bookForGood, bookHold, hasChanged, type RefundChange, type Step } from './book.js';
import { evaluate, type DesiredState } from './evaluate.js';
import { SAVE_REQUEST } from '../refunds/refund.sql.js';
import { SAVE_DISPUTE, SAVE_PAYMENT, SAVE_REFUND, type PaymentRow } from './payment.sql.js';
import { readPayment, sourcesOf, storedSources, type StoredPayment } from './paymentRow.js';
import { appendPaymentEvents } from './paymentEvents.js';
import { Working } from './working.js';

/**
 * Makes the ledger match the facts of a credited payment: posts the difference, in a fixed order.
 *
 * First the credit, then what goes back for good, then the referral, and last what disputes hold: a bonus must be
 * granted or clawed back before a dispute takes what is there.
 *
 * @param creditMicros what it credits now, for the first time; zero afterwards
 */
export async function settleCredited(sql: Sql, payment: PaymentRow, creditMicros: bigint): Promise<void> {
  const stored = await readPayment(sql, payment);
  const desired = evaluate(stored.facts);
  const refundedNow = (stored.refundedAt?.getTime() ?? null) !== timeOf(payment.refunded_at);
  const changed = refundedNow || hasChanged(stored.booked, desired);

  // Always lock the wallet, and before the referral's rows, so that two payments of one owner lock in the same order.
  const working = await workingOf(sql, payment);
  if (creditMicros > 0n) await postCredit(sql, payment, working.putIn(creditMicros), creditMicros);
  const context = { provider: payment.provider, revision: payment.revision };
  const { steps, refunds } = changed
    ? bookForGood(working, stored.booked, desired, context)
    : { steps: [], refunds: [] };
  for (const step of steps) await postStep(sql, payment, step);
  if (refundedNow) await releaseHold(sql, payment, working, stored);

  await settleReferral(sql, {
    accountId: payment.account_id,
    topUpId: payment.topup_id!,
    provider: payment.provider,
    paymentId: payment.payment_id,
    capturedAt: new Date(payment.captured_at!),
    refundedAt: stored.refundedAt,
    payerHashes: payment.payer_hashes,
  });

  if (changed) {
    const now = new Working(await lockWallet(sql, payment.account_id), working);
    const hold = bookHold(now, stored.booked, desired, context);
    if (hold) await postStep(sql, payment, hold);
    await save(sql, payment, { stored, desired, refunds, working: now });
  }
  await appendPaymentEvents(sql, payment, { creditMicros, refunds, disputes: stored.facts.disputes });
  if (changed || creditMicros > 0n) await notifyWallet(sql, payment.account_id);
}

async function workingOf(sql: Sql, payment: PaymentRow): Promise<Working> {
  const stack = { taken: sourcesOf(payment.taken), held: sourcesOf(payment.held) };
  return new Working(await lockWallet(sql, payment.account_id), stack);
}

async function postCredit(
  sql: Sql,
  payment: PaymentRow,
  deltas: ReturnType<Working['putIn']>,
  creditMicros: bigint,
): Promise<void> {
  await post(sql, {
    ownerId: payment.account_id,
    type: 'TOPUP',
    idempotencyKey: `topup:${payment.provider}:${payment.payment_id}`,
    deltas: { ...deltas, CASH: -creditMicros },
    intent: creditMicros.toString(),
    ...causeOf(payment),
  });
}

async function postStep(sql: Sql, payment: PaymentRow, step: Step): Promise<void> {
  const cause = causeOf(payment);
  await post(sql, {
    ownerId: payment.account_id,
    type: step.type,
    idempotencyKey: step.fact,
    deltas: step.deltas,
    ...cause,
    metadata: { ...cause.metadata, [step.type === 'REFUND' ? 'refund' : 'dispute']: step.subject },
  });
}

/** The first refund may claw back a bonus, which knows nothing of holds, so it needs the whole wallet. */
async function releaseHold(sql: Sql, payment: PaymentRow, working: Working, stored: StoredPayment): Promise<void> {
  const released = bookHold(working, stored.booked, evaluate({ ...stored.facts, disputes: withoutHold(stored) }), {
    provider: payment.provider,
    revision: payment.revision,
  });
  if (released) await postStep(sql, payment, { ...released, fact: `${released.fact}:released` });
}

function withoutHold(stored: StoredPayment): StoredPayment['facts']['disputes'] {
  return stored.facts.disputes.map((dispute) => ({ ...dispute, amountMicros: 0n }));
}

async function save(
  sql: Sql,
  payment: PaymentRow,
  done: { stored: StoredPayment; desired: DesiredState; refunds: readonly RefundChange[]; working: Working },
): Promise<void> {
  const { account_id: accountId, provider, payment_id: paymentId } = payment;
  const { stored, desired, refunds, working } = done;
  for (const refund of refunds) {
    await execute(sql, SAVE_REFUND, {
      accountId,
      provider,
      refundId: refund.refundId,
      countedMicros: refund.countedMicros.toString(),
      fromHoldMicros: refund.fromHoldMicros.toString(),
      bookings: refund.bookings,
    });
  }
  for (const { disputeId, openMicros, lostMicros } of desired.disputes) {
    const saved = { openMicros: openMicros.toString(), lostMicros: lostMicros.toString() };
    await execute(sql, SAVE_DISPUTE, { accountId, provider, disputeId, ...saved });
  }
  for (const [requestId, status] of desired.requests) {
    if (stored.booked.requests.get(requestId)?.status === status) continue;
    await execute(sql, SAVE_REQUEST, { accountId, requestId, status });
  }
  await execute(sql, SAVE_PAYMENT, {
    accountId,
    provider,
    paymentId,
    taken: storedSources(working.taken),
    held: storedSources(working.held),
    disputedMicros: desired.disputedMicros.toString(),
    refundedAt: stored.refundedAt,
  });
}

function causeOf(payment: PaymentRow) {
  const { provider, payment_id: paymentId } = payment;
  return { reference: payment.topup_id!, metadata: { provider, payment: paymentId } };
}

function timeOf(text: string | null): number | null {
  return text === null ? null : new Date(text).getTime();
}
