import { createHmac } from 'node:crypto';

import { execute, type Sql } from '../../../db/sql.js';
import type { PaymentFact } from '../../../ports/paymentProvider.js';
import {
  NOTE_CAPTURE,
  NOTE_DISPUTE,
  NOTE_FAILURE,
  NOTE_PAYMENT,
  NOTE_REFUND,
  type PaymentKey,
} from '../settlement/payment.sql.js';
import type { PaymentRow } from '../settlement/payment.sql.js';

/** A refund or dispute with contradicting facts. `words` names what differs, such as `amount`. */
export interface Conflict {
  readonly kind: 'refund' | 'dispute';
  readonly id: string;
  readonly words: readonly string[];
}

/**
 * Adds facts about one payment to what is stored. Locks the payment's row.
 *
 * @param payerKey the key for hashing payers; only the hashes are stored
 */
export async function recordFacts(
  sql: Sql,
  payment: PaymentKey & { topUpId: string | null },
  facts: readonly PaymentFact[],
  payerKey: Buffer,
): Promise<{ row: PaymentRow; conflicts: Conflict[] }> {
  const { accountId, provider, paymentId, topUpId } = payment;
  const key = { accountId, provider, paymentId };
  const orderId = facts.map((fact) => ('orderId' in fact ? fact.orderId : null)).find((id) => id !== null) ?? null;
  const [noted] = await execute(sql, NOTE_PAYMENT, { ...key, topUpId, orderId });
  let row = noted!;
  const conflicts: Conflict[] = [];
  for (const fact of facts) {
    if (fact.kind === 'captured') {
      const hashes = fact.payers.map((payer) => createHmac('sha256', payerKey).update(payer).digest('hex'));
      const { currency, capturedAt } = fact;
      const captured = { ...key, amountMinor: fact.amountMinor.toString(), currency, capturedAt, hashes };
      row = (await execute(sql, NOTE_CAPTURE, captured))[0]!;
    }
    if (fact.kind === 'failed') row = (await execute(sql, NOTE_FAILURE, { ...key, failedAt: fact.at }))[0]!;
    if (fact.kind === 'refund') conflicts.push(await noteRefund(sql, payment, fact));
    if (fact.kind === 'dispute') conflicts.push(await noteDispute(sql, payment, fact));
  }
  return { row, conflicts: conflicts.filter(({ words }) => words.length > 0) };
}

async function noteRefund(
  sql: Sql,
  { accountId, provider, paymentId }: PaymentKey,
  fact: Extract<PaymentFact, { kind: 'refund' }>,
): Promise<Conflict> {
  const [noted] = await execute(sql, NOTE_REFUND, {
    accountId,
    provider,
    refundId: fact.refundId,
    paymentId,
    amountMinor: fact.amountMinor.toString(),
    currency: fact.currency,
    state: fact.state,
    createdAt: fact.createdAt,
    wasProcessed: fact.state === 'processed',
    requestKey: fact.requestKey,
  });
  return { kind: 'refund', id: fact.refundId, words: noted?.conflicts ?? ['payment'] };
}

async function noteDispute(
  sql: Sql,
  { accountId, provider, paymentId }: PaymentKey,
  fact: Extract<PaymentFact, { kind: 'dispute' }>,
): Promise<Conflict> {
  const [noted] = await execute(sql, NOTE_DISPUTE, {
    accountId,
    provider,
    disputeId: fact.disputeId,
    paymentId,
    amountMinor: fact.amountMinor.toString(),
    currency: fact.currency,
    state: fact.state,
    createdAt: fact.createdAt,
    lostMinor: fact.lostMinor?.toString() ?? null,
    isReturned: fact.isReturned,
  });
  return { kind: 'dispute', id: fact.disputeId, words: noted?.conflicts ?? ['payment'] };
}
