import { execute, type Sql } from '../../../db/sql.js';
import { settleReferral } from '../referrals/settleReferral.js';
import { lockWallet } from '../../ledger/lockWallet.js';
import { putIn } from '../../ledger/movements.js';
import { post } from '../../ledger/posting.js';
import { notifyWallet } from '../../ledger/wallet.service.js';
import { SAVE_PAYMENT, WITHDRAW } from './payment.sql.js';
import { readPayment, sourcesOf } from './paymentRow.js';
import type { PaymentRow } from './payment.sql.js';
import { REFUSED } from '../refunds/refund.sql.js';
import { isNothing, sum, Working } from './working.js';

/**
 * Takes back a credit whose facts contradict each other, and moves its money to SUSPENSE, where it would be if the
 * contradiction had been known first. What has already gone back for good stays so. Before that, refund requests and
 * disputes return what they hold. What is spent becomes DEBT, and a bonus granted for it ends.
 *
 * @returns the payment after the change
 */
export async function withdrawCredit(sql: Sql, payment: PaymentRow): Promise<PaymentRow> {
  const { account_id: accountId, provider, payment_id: paymentId, topup_id: topUpId } = payment;
  const cause = { reference: topUpId!, metadata: { provider, payment: paymentId } };
  const { booked } = await readPayment(sql, payment);
  await lockWallet(sql, accountId);
  for (const [requestId, { heldMicros, status }] of booked.requests) {
    if (status !== 'requested') continue;
    await execute(sql, REFUSED, {
      accountId,
      id: requestId,
      message: 'The provider contradicts itself about this payment.',
    });
    if (heldMicros === 0n) continue;
    await post(sql, {
      ownerId: accountId,
      type: 'REFUND',
      idempotencyKey: `refund-request:${requestId}:returned`,
      deltas: { ...putIn(await lockWallet(sql, accountId), heldMicros), REFUND_HOLD: -heldMicros },
      intent: heldMicros.toString(),
      ...cause,
    });
  }

  const gone = [...booked.refunds.values()].reduce((all, { countedMicros }) => all + countedMicros, 0n);
  const lost = [...booked.disputes.values()].reduce((all, { lostMicros }) => all + lostMicros, 0n);
  const withdrawnMicros = BigInt(payment.credited_micros) - gone - lost;
  const stack = { taken: sourcesOf(payment.taken), held: sourcesOf(payment.held) };
  const working = new Working(await lockWallet(sql, accountId), stack);
  const deltas = sum(working.hold(0n), working.take(withdrawnMicros), { SUSPENSE: withdrawnMicros });
  if (!isNothing(deltas)) {
    const idempotencyKey = `withdraw:${provider}:${paymentId}`;
    await post(sql, { ownerId: accountId, type: 'REFUND', idempotencyKey, deltas, intent: 'all', ...cause });
  }
  await execute(sql, SAVE_PAYMENT, {
    accountId,
    provider,
    paymentId,
    taken: '{}',
    held: '{}',
    disputedMicros: '0',
    refundedAt: payment.refunded_at,
  });
  const [withdrawn] = await execute(sql, WITHDRAW, {
    accountId,
    provider,
    paymentId,
    withdrawnMicros: `${withdrawnMicros}`,
  });
  await settleReferral(sql, {
    accountId,
    topUpId: topUpId!,
    provider,
    paymentId,
    capturedAt: new Date(payment.captured_at!),
    // As if it had been refunded at once, so that it counts for nothing.
    refundedAt: new Date(payment.captured_at!),
    payerHashes: payment.payer_hashes,
  });
  await notifyWallet(sql, accountId);
  return withdrawn!;
}
