import { execute, type Sql } from '../../../db/sql.js';
import type { BookedState } from './book.js';
import type { PaymentFacts } from './evaluate.js';
import {
  DISPUTES,
  REFUNDS,
  REQUESTS,
  type RefundRow,
  type DisputeRow,
  type RequestRow,
  type PaymentRow,
} from './payment.sql.js';
import type { Sources } from './working.js';

/** Everything stored about one payment: its facts, and what is posted. */
export interface StoredPayment {
  readonly facts: PaymentFacts;
  readonly booked: BookedState;
  /** The earliest creation time of any refund ever seen as processed. */
  readonly refundedAt: Date | null;
  /** Refunds and disputes in another currency than the payment's. They are not counted; staff must look at them. */
  readonly strangers: readonly string[];
  readonly refundRows: readonly RefundRow[];
}

/** Reads what is stored about a payment. The caller must hold the lock on its row. */
export async function readPayment(sql: Sql, payment: PaymentRow): Promise<StoredPayment> {
  const [stored] = await readPayments(sql, [payment]);
  return stored!;
}

/**
 * The same for several payments of one account, in order. Takes three statements per provider, however many there are.
 */
export async function readPayments(sql: Sql, payments: readonly PaymentRow[]): Promise<StoredPayment[]> {
  const stored = new Map<PaymentRow, StoredPayment>();
  for (const [provider, ofProvider] of Map.groupBy(payments, (payment) => payment.provider)) {
    const asked = {
      accountId: ofProvider[0]!.account_id,
      provider,
      paymentIds: ofProvider.map((payment) => payment.payment_id),
    };
    const refunds = Map.groupBy(await execute(sql, REFUNDS, asked), (row) => row.payment_id);
    const disputes = Map.groupBy(await execute(sql, DISPUTES, asked), (row) => row.payment_id);
    const requests = Map.groupBy(await execute(sql, REQUESTS, asked), (row) => row.payment_id);
    for (const payment of ofProvider) {
      const id = payment.payment_id;
      const rows = [refunds.get(id) ?? [], disputes.get(id) ?? [], requests.get(id) ?? []] as const;
      stored.set(payment, storedPayment(payment, ...rows));
    }
  }
  return payments.map((payment) => stored.get(payment)!);
}

function storedPayment(
  payment: PaymentRow,
  allRefunds: readonly RefundRow[],
  allDisputes: readonly DisputeRow[],
  requests: readonly RequestRow[],
): StoredPayment {
  const isOurs = (row: { currency: string }) => row.currency === payment.currency;
  // One that was counted before its currency turned out to differ counts nothing from now on.
  const refunds = allRefunds.filter((row) => isOurs(row) || row.counted_micros !== '0');
  const disputes = allDisputes.filter((row) => isOurs(row) || row.open_micros !== '0' || row.lost_micros !== '0');
  const microsPerMinor = BigInt(payment.micros_per_minor ?? 0);
  const refundTimes = refunds.filter((row) => row.was_processed).map((row) => Date.parse(row.provider_created_at));
  return {
    facts: {
      receivedMicros: BigInt(payment.credited_micros),
      refunds: refunds.map((row) => ({
        refundId: row.refund_id,
        amountMicros: isOurs(row) ? BigInt(row.amount_minor) * microsPerMinor : 0n,
        state: row.state,
        createdAt: new Date(row.provider_created_at),
        requestId: row.request_id,
      })),
      disputes: disputes.map((row) => ({
        disputeId: row.dispute_id,
        amountMicros: isOurs(row) ? disputedMinor(row) * microsPerMinor : 0n,
        state: row.state,
        createdAt: new Date(row.provider_created_at),
      })),
      requests: requests.map((row) => ({
        requestId: row.id,
        heldMicros: BigInt(row.held_micros),
        status: row.status,
      })),
    },
    booked: {
      refunds: new Map(
        refunds.map((row) => [
          row.refund_id,
          {
            countedMicros: BigInt(row.counted_micros),
            fromHoldMicros: BigInt(row.from_hold_micros),
            bookings: row.bookings,
          },
        ]),
      ),
      disputes: new Map(
        disputes.map((row) => [
          row.dispute_id,
          { openMicros: BigInt(row.open_micros), lostMicros: BigInt(row.lost_micros) },
        ]),
      ),
      requests: new Map(requests.map((row) => [row.id, { heldMicros: BigInt(row.held_micros), status: row.status }])),
    },
    refundedAt: refundTimes.length === 0 ? null : new Date(Math.min(...refundTimes)),
    strangers:
      payment.currency === null
        ? []
        : [...allRefunds, ...allDisputes]
            .filter((row) => !isOurs(row))
            .map((row) => ('refund_id' in row ? row.refund_id : row.dispute_id)),
    refundRows: refunds,
  };
}

/** A dispute may be lost for a part of what was disputed. */
function disputedMinor({ state, lost_minor: lostMinor, amount_minor: amountMinor }: DisputeRow): bigint {
  return BigInt(state === 'lost' ? (lostMinor ?? amountMinor) : amountMinor);
}

export function sourcesOf(stored: Record<string, string>): Sources {
  return Object.fromEntries(Object.entries(stored).map(([account, micros]) => [account, BigInt(micros)]));
}

/** For a jsonb column: amounts as text, because JSON numbers lose digits. */
export function storedSources(sources: Sources): string {
  const some = Object.entries(sources).filter(([, micros]) => micros !== 0n);
  return JSON.stringify(Object.fromEntries(some.map(([account, micros]) => [account, micros.toString()])));
}
