import { statement } from '../../../db/sql.js';
import type { Checkout, Currency, ProviderName } from '../../../ports/paymentProvider.js';

export type TopUpStatus = 'opening' | 'open' | 'paid' | 'expired';

/** A top-up: its quote, its checkout, and what became of it. Amounts are in the currency's minor unit. */
export interface TopUp {
  readonly accountId: string;
  readonly id: string;
  readonly provider: ProviderName;
  /** True if no real money moves. */
  readonly sandbox: boolean;
  readonly currency: Currency;
  readonly amountMinor: bigint;
  /** Micro-credits per minor unit (paisa or cent), exactly. */
  readonly microsPerMinor: bigint;
  readonly creditMicros: bigint;
  /** The time of the exchange rate; `null` for rupees. */
  readonly rateAsOf: Date | null;
  readonly returnPath: string;
  readonly status: TopUpStatus;
  readonly createdAt: Date;
  /** The checkout can be paid until then. A later payment is still credited at the quote. */
  readonly expiresAt: Date;
  /** Also null after an erasure, which keeps `orderId`. */
  readonly checkout: Checkout | null;
  readonly orderId: string | null;
  readonly paymentId: string | null;
  /** By the provider's clock. */
  readonly capturedAt: Date | null;
  readonly creditedAt: Date | null;
  /** Since when the provider reports it as paid without having sent its webhook. */
  readonly webhookMissingSince: Date | null;
  /** Its position in a list. */
  readonly cursor: string;
}

export const TOPUP_COLUMNS = `
  account_id, id, idempotency_key, provider, sandbox, currency, amount_minor, micros_per_minor, credit_micros,
  rate_as_of, return_path, created_at, expires_at, order_id, checkout_method, checkout_url, checkout_fields, payment_id,
  captured_at, credited_at, provider_paid_at, webhook_missing_since,
  case when status in ('opening', 'open') and expires_at <= service_now() then 'expired' else status end as status`;

export interface TopUpRow {
  account_id: string;
  id: string;
  idempotency_key: string;
  provider: ProviderName;
  sandbox: boolean;
  currency: Currency;
  amount_minor: string;
  micros_per_minor: string;
  credit_micros: string;
  rate_as_of: string | null;
  return_path: string;
  status: TopUpStatus;
  created_at: string;
  expires_at: string;
  order_id: string | null;
  checkout_method: 'GET' | 'POST' | null;
  checkout_url: string | null;
  checkout_fields: Checkout['fields'] | null;
  payment_id: string | null;
  captured_at: string | null;
  credited_at: string | null;
  provider_paid_at: string | null;
  webhook_missing_since: string | null;
}

export const LOCK_TOPUP = statement<{ accountId: string; topUpId: string }, TopUpRow>(
  'topup-lock',
  `select ${TOPUP_COLUMNS} from topup where account_id = :accountId and id = :topUpId for update`,
);

export const FIND_TOPUP = statement<{ accountId: string; topUpId: string }, TopUpRow>(
  'topup-find',
  `select ${TOPUP_COLUMNS} from topup where account_id = :accountId and id = :topUpId`,
);

export function topUpOf(row: TopUpRow): TopUp {
  return {
    accountId: row.account_id,
    id: row.id,
    provider: row.provider,
    sandbox: row.sandbox,
    currency: row.currency,
    amountMinor: BigInt(row.amount_minor),
    microsPerMinor: BigInt(row.micros_per_minor),
    creditMicros: BigInt(row.credit_micros),
    rateAsOf: dateOf(row.rate_as_of),
    returnPath: row.return_path,
    status: row.status,
    createdAt: new Date(row.created_at),
    expiresAt: new Date(row.expires_at),
    checkout: checkoutOf(row),
    orderId: row.order_id,
    paymentId: row.payment_id,
    capturedAt: dateOf(row.captured_at),
    creditedAt: dateOf(row.credited_at),
    webhookMissingSince: dateOf(row.webhook_missing_since),
    cursor: row.id,
  };
}

function checkoutOf(row: TopUpRow): Checkout | null {
  if (row.order_id === null || row.checkout_method === null || row.checkout_url === null) return null;
  const { order_id: orderId, checkout_method: method, checkout_url: url } = row;
  return { orderId, method, url, fields: row.checkout_fields ?? [] };
}

function dateOf(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}
