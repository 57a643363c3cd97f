import type { Sql } from '../../../db/sql.js';
import type { PaymentFact } from '../../../ports/paymentProvider.js';
import { raiseAlert } from '../../shared/alerts/raiseAlert.js';
import { readPayment } from './paymentRow.js';
import type { PaymentRow } from './payment.sql.js';
import type { Conflict } from '../inbox/recordFacts.js';

/** How the books treat contradicting facts, for the staff member who investigates. */
const COUNTED_AS: Readonly<Record<string, string>> = {
  amount: 'it reported two amounts, and the greater one counts',
  currency: 'it reported two currencies, and nothing is counted',
  outcome: 'it reported both that it is lost and that the money came back, and it counts as lost',
  payment: 'it named two payments, and it counts for the first one',
  time: 'it reported two creation times, and the earlier one counts',
};

/**
 * Alerts staff to signed data that cannot all be true. Nothing is counted twice because of it, and the order of the
 * facts does not matter.
 */
export async function alertContradictions(
  sql: Sql,
  row: PaymentRow,
  facts: readonly PaymentFact[],
  conflicts: readonly Conflict[],
): Promise<void> {
  for (const { subject, message } of [
    ...(await ofPayment(sql, row, facts)),
    ...conflicts.map(({ kind, id, words }) => ({
      subject: id,
      message: `${row.provider} contradicts itself about ${kind} ${id}: ${words.map((word) => COUNTED_AS[word]).join('; ')}.`,
    })),
  ]) {
    await raiseAlert(sql, { kind: 'payment.mismatch', subject, message, accountId: row.account_id });
  }
}

async function ofPayment(
  sql: Sql,
  row: PaymentRow,
  facts: readonly PaymentFact[],
): Promise<{ subject: string; message: string }[]> {
  const messages: string[] = [];
  const { provider, captured_at: capturedAt, failed_at: failedAt } = row;
  const captures = facts.filter((fact) => fact.kind === 'captured');
  const amount = row.amount_minor === null ? null : BigInt(row.amount_minor);
  if (captures.some((fact) => fact.amountMinor !== amount || fact.currency !== row.currency)) {
    messages.push(`${provider} reported two amounts for one payment.`);
  }
  const isSight = facts.some(({ kind }) => kind === 'authorized' || kind === 'failed');
  if (row.contradiction !== null && (captures.length > 0 || isSight)) {
    messages.push(`${provider} contradicts itself about one payment (${row.contradiction}).`);
  }
  if (capturedAt !== null && failedAt !== null && new Date(failedAt) > new Date(capturedAt)) {
    if (captures.length > 0 || isSight)
      messages.push(`${provider} reported a payment as failed that it had captured before.`);
  }
  const isReturn = facts.some(({ kind }) => kind === 'refund' || kind === 'dispute');
  const { strangers } = isReturn ? await readPayment(sql, row) : { strangers: [] };
  if (strangers.length > 0) {
    messages.push(`${provider} returned money in another currency than it took: ${strangers.join(', ')}.`);
  }
  return messages.length === 0 ? [] : [{ subject: row.payment_id, message: messages.join(' ') }];
}
