import type { InvoiceKind, StoredFacts } from './invoiceFacts.js';
import { statement } from '../../../db/sql.js';

export interface InvoiceRow {
  kind: InvoiceKind;
  series: string;
  financial_year: string;
  number: number;
  issued_at: string;
  facts: StoredFacts;
}

export interface RefundRow {
  refund_id: string;
  amount_minor: string;
  provider_created_at: string;
}

export interface TopUpRow {
  provider: string;
  payment_id: string | null;
  sandbox: boolean;
  currency: string;
  amount_minor: string;
  micros_per_minor: string;
  credit_micros: string;
  paid_at: string;
}

const COLUMNS = 'kind, series, financial_year, number, issued_at, facts';

/** The only part of billing that knows the tables of payments. */
export const PAID_TOPUP = statement<{ accountId: string; topUpId: string }, TopUpRow>(
  'invoice-paid-topup',
  `
    select provider, payment_id, sandbox, currency, amount_minor, micros_per_minor, credit_micros,
      coalesce(captured_at, credited_at) as paid_at
    from topup where account_id = :accountId and id = :topUpId and credited_at is not null`,
);

/** Only for the credited payment: a second payment in suspense was never invoiced, so its refund corrects nothing. */
export const PAID_REFUND = statement<{ accountId: string; topUpId: string; refundId: string }, RefundRow>(
  'invoice-paid-refund',
  `
    select r.refund_id, r.amount_minor, r.provider_created_at
    from payment_refund r join payment p using (account_id, provider, payment_id)
    where r.account_id = :accountId and p.topup_id = :topUpId and p.fate = 'credited' and r.refund_id = :refundId and r.state = 'processed'`,
);

export const PAID_REFUNDS = statement<
  { accountId: string; topUpIds: readonly string[] },
  RefundRow & { topup_id: string }
>(
  'invoice-paid-refunds',
  `
    select p.topup_id, r.refund_id, r.amount_minor, r.provider_created_at
    from payment_refund r join payment p using (account_id, provider, payment_id)
    where r.account_id = :accountId and p.topup_id = any (:topUpIds::uuid[]) and p.fate = 'credited' and r.state = 'processed'
    order by r.provider_created_at, r.refund_id`,
);

export const USER_OF = statement<{ accountId: string }, { name: string; email: string }>(
  'invoice-user',
  'select name, email from auth."user" where id = :accountId',
);

export const FIND_INVOICE = statement<{ accountId: string; topUpId: string; refundId: string }, InvoiceRow>(
  'invoice-find',
  `select ${COLUMNS} from invoice where account_id = :accountId and top_up_id = :topUpId and refund_id = :refundId`,
);

/** Serializes documents, so that their numbers, dates and years have the same order. */
export const LOCK_SERIES = statement<{ series: string }>(
  'invoice-lock-series',
  `select pg_advisory_xact_lock(hashtextextended('invoice:' || :series, 0))`,
);

/** Takes the next number and writes the document, or does neither. India's financial year begins on April 1. */
export const ISSUE = statement<
  { accountId: string; topUpId: string; refundId: string; kind: string; series: string; facts: string },
  InvoiceRow
>(
  'invoice-issue',
  `
    with moment as materialized (
      select now, to_char(local, 'YY') || to_char(local + interval '1 year', 'YY') as financial_year
      from (select now, (now at time zone 'Asia/Kolkata') - interval '3 months' as local
        from (select service_now() as now offset 0) clock) there
    ), counted as (
      insert into invoice_counter (series, kind, financial_year, last_number)
      select :series, :kind, financial_year, 1 from moment
      on conflict (series, kind, financial_year) do update set last_number = invoice_counter.last_number + 1
      returning financial_year, last_number
    )
    insert into invoice (account_id, top_up_id, refund_id, kind, series, financial_year, number, issued_at, facts)
    select :accountId, :topUpId, :refundId, :kind, :series, counted.financial_year, counted.last_number, moment.now, :facts::jsonb
    from counted, moment
    returning ${COLUMNS}`,
);
