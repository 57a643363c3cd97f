import type pg from 'pg';

import { newId } from '../../../src/domain/shared/ids.js';

export interface PaidTopUpOptions {
  accountId: string;
  amountMinor?: bigint;
  currency?: 'INR' | 'USD';
  microsPerMinor?: bigint;
  isPaid?: boolean;
}

/** A top-up as payments leave it after crediting. Returns its id, provider and payment id. */
export async function paidTopUp(admin: pg.Pool, options: PaidTopUpOptions) {
  const { accountId, amountMinor = 118_000n, currency = 'INR', isPaid = true } = options;
  const microsPerMinor = options.microsPerMinor ?? 10_000n;
  const id = newId();
  const provider = currency === 'INR' ? 'razorpay' : 'stripe';
  const paymentId = `${currency === 'INR' ? 'pay' : 'pi'}_${id.slice(-12)}`;
  await admin.query(
    `insert into topup (account_id, id, idempotency_key, provider, sandbox, currency, amount_minor, micros_per_minor,
       credit_micros, return_path, status, created_at, expires_at, payment_id, captured_at, credited_at)
     values ($1, $2, $3, $4, false, $5, $6::bigint, $7::bigint, $6::bigint * $7::bigint, '/', $8, '2026-05-01T10:00:00Z',
       '2026-05-01T10:30:00Z', $9, $10, $10)`,
    [
      accountId,
      id,
      `key-${id}`,
      provider,
      currency,
      amountMinor.toString(),
      microsPerMinor.toString(),
      isPaid ? 'paid' : 'open',
      isPaid ? paymentId : null,
      isPaid ? '2026-05-01T10:05:00Z' : null,
    ],
  );
  if (isPaid) {
    await admin.query(
      `insert into payment (account_id, provider, payment_id, topup_id, fate, created_at)
       values ($1, $2, $3, $4, 'credited', '2026-05-01T10:05:00Z')`,
      [accountId, provider, paymentId, id],
    );
  }
  return { id, provider, paymentId };
}

/** A refund of the top-up in any state. Returns the provider's id. */
export async function refundOf(
  admin: pg.Pool,
  accountId: string,
  topUp: { provider: string; paymentId: string },
  { amountMinor = 59_000n, state = 'processed' } = {},
): Promise<string> {
  const refundId = `rfnd_${newId().slice(-12)}`;
  await admin.query(
    `insert into payment_refund (account_id, provider, refund_id, payment_id, amount_minor, currency, state,
       provider_created_at, was_processed, created_at)
     values ($1, $2, $3, $4, $5, 'INR', $6, '2026-05-03T10:00:00Z', $6 = 'processed', '2026-05-03T10:00:00Z')`,
    [accountId, topUp.provider, refundId, topUp.paymentId, amountMinor.toString(), state],
  );
  return refundId;
}
