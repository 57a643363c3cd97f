import { execute, type Sql } from '../../../db/sql.js';
import { formatCredits } from '../../ledger/credits.js';
import { appendEvents, type NewEvent } from '../../shared/events/appendEvent.js';
import type { RefundChange } from './book.js';
import type { DisputeFacts } from './evaluate.js';
import { type PaymentRow, TELL_DISPUTES } from './payment.sql.js';

/**
 * Writes the events of a credited payment: its credit, refunds and disputes. Each becomes an event once, however often
 * the payment is settled.
 */
export async function appendPaymentEvents(
  sql: Sql,
  payment: PaymentRow,
  done: {
    readonly creditMicros: bigint;
    readonly refunds: readonly RefundChange[];
    readonly disputes: readonly DisputeFacts[];
  },
): Promise<void> {
  const { account_id: accountId, provider } = payment;
  const of = { topUpId: payment.topup_id!, provider };
  const credit: NewEvent[] =
    done.creditMicros > 0n
      ? [
          {
            accountId,
            type: 'topup.credited',
            fact: of.topUpId,
            data: { ...of, amount: formatCredits(done.creditMicros) },
          },
        ]
      : [];
  const refunds = done.refunds
    .filter(({ countedMicros }) => countedMicros > 0n)
    .map(({ refundId, countedMicros }) => ({
      accountId,
      type: 'refund.booked' as const,
      fact: `${provider}:${refundId}`,
      data: { ...of, refundId, amount: formatCredits(countedMicros) },
    }));
  const open = done.disputes.filter(({ state }) => state !== 'won');
  const disputeIds = open.map(({ disputeId }) => disputeId);
  const news = open.length === 0 ? [] : await execute(sql, TELL_DISPUTES, { accountId, provider, disputeIds });
  const disputes = open
    .filter(({ disputeId }) => news.some(({ dispute_id }) => dispute_id === disputeId))
    .map(({ disputeId, amountMicros }) => ({
      accountId,
      type: 'dispute.opened' as const,
      fact: `${provider}:${disputeId}`,
      data: { ...of, disputeId, amount: formatCredits(amountMicros) },
    }));
  await appendEvents(sql, [...credit, ...refunds, ...disputes]);
}
