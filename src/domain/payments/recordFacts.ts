import { createHmac } from 'node:crypto';

import type { Sql } from '../../db/sql.js';
import type { PaymentFact } from '../../ports/paymentProvider.js';
import { NOTE_CAPTURE, NOTE_DISPUTE, NOTE_PAYMENT, NOTE_REFUND } from './payment.statements.js';
import type { PaymentRow } from './paymentRow.js';

export interface PaymentKey {
  readonly accountId: string;
  readonly provider: string;
  readonly paymentId: string;
}

/**
 * Adds what is told of one payment to what is known of it. The payment's row is locked from here on.
 *
 * @param payerKey what payers are hashed with: only the hashes are kept.
 */
export async function recordFacts(
  sql: Sql,
  payment: PaymentKey & { topUpId: string | null },
  facts: readonly PaymentFact[],
  payerKey: Buffer,
): Promise<PaymentRow> {
  const key = [payment.accountId, payment.provider, payment.paymentId];
  const orderId = facts.map((fact) => ('orderId' in fact ? fact.orderId : null)).find((id) => id !== null) ?? null;
  const [noted] = await sql.query<PaymentRow>(NOTE_PAYMENT, [...key, payment.topUpId, orderId]);
  let row = noted!;
  for (const fact of facts) {
    if (fact.kind === 'captured') {
      const hashes = fact.payers.map((payer) => createHmac('sha256', payerKey).update(payer).digest('hex'));
      const values = [...key, fact.amountMinor.toString(), fact.currency, fact.capturedAt, hashes];
      row = (await sql.query<PaymentRow>(NOTE_CAPTURE, values))[0]!;
    }
    if (fact.kind === 'refund') await noteRefund(sql, payment, fact);
    if (fact.kind === 'dispute') await noteDispute(sql, payment, fact);
  }
  return row;
}

async function noteRefund(
  sql: Sql,
  { accountId, provider, paymentId }: PaymentKey,
  fact: Extract<PaymentFact, { kind: 'refund' }>,
): Promise<void> {
  await sql.query(NOTE_REFUND, [
    accountId,
    provider,
    fact.refundId,
    paymentId,
    fact.amountMinor.toString(),
    fact.currency,
    fact.state,
    fact.createdAt,
    fact.state === 'processed',
    fact.requestKey,
  ]);
}

async function noteDispute(
  sql: Sql,
  { accountId, provider, paymentId }: PaymentKey,
  fact: Extract<PaymentFact, { kind: 'dispute' }>,
): Promise<void> {
  await sql.query(NOTE_DISPUTE, [
    accountId,
    provider,
    fact.disputeId,
    paymentId,
    fact.amountMinor.toString(),
    fact.currency,
    fact.state,
    fact.createdAt,
  ]);
}
