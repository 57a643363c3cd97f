import type { Statement } from '../../../db/sql.js';

const COLUMNS = 'kind, series, financial_year, number, issued_at, facts';

/** All of billing that knows the payments' tables. */
export const PAID_TOPUP: Statement = {
  name: 'invoice-paid-topup',
  text: `
    select provider, payment_id, sandbox, currency, amount_minor, micros_per_minor, credit_micros,
      coalesce(captured_at, credited_at) as paid_at
    from topup where account_id = $1 and id = $2 and credited_at is not null`,
};

/** Of the payment that was credited: a second one in suspense was never invoiced, so that its refund corrects nothing. */
export const PAID_REFUND: Statement = {
  name: 'invoice-paid-refund',
  text: `
    select r.refund_id, r.amount_minor, r.provider_created_at
    from payment_refund r join payment p using (account_id, provider, payment_id)
    where r.account_id = $1 and p.topup_id = $2 and p.fate = 'credited' and r.refund_id = $3 and r.state = 'processed'`,
};

export const PAID_REFUNDS: Statement = {
  name: 'invoice-paid-refunds',
  text: `
    select p.topup_id, r.refund_id, r.amount_minor, r.provider_created_at
    from payment_refund r join payment p using (account_id, provider, payment_id)
    where r.account_id = $1 and p.topup_id = any ($2::uuid[]) and p.fate = 'credited' and r.state = 'processed'
    order by r.provider_created_at, r.refund_id`,
};

export const USER_OF: Statement = {
  name: 'invoice-user',
  text: 'select name, email from auth."user" where id = $1',
};

export const FIND_INVOICE: Statement = {
  name: 'invoice-find',
  text: `select ${COLUMNS} from invoice where account_id = $1 and top_up_id = $2 and refund_id = $3`,
};

/** One after the other: the number, the date and the year of a document are in one order. */
export const LOCK_SERIES: Statement = {
  name: 'invoice-lock-series',
  text: `select pg_advisory_xact_lock(hashtextextended('invoice:' || $1, 0))`,
};

/**
 * Takes the next number and writes the document, or does neither. Financial years begin on the first of April in India.
 */
export const ISSUE: Statement = {
  name: 'invoice-issue',
  text: `
    with moment as materialized (
      select now, to_char(local, 'YY') || to_char(local + interval '1 year', 'YY') as financial_year
      from (select now, (now at time zone 'Asia/Kolkata') - interval '3 months' as local
        from (select service_now() as now offset 0) clock) there
    ), counted as (
      insert into invoice_counter (series, kind, financial_year, last_number)
      select $5, $4, financial_year, 1 from moment
      on conflict (series, kind, financial_year) do update set last_number = invoice_counter.last_number + 1
      returning financial_year, last_number
    )
    insert into invoice (account_id, top_up_id, refund_id, kind, series, financial_year, number, issued_at, facts)
    select $1, $2, $3, $4, $5, counted.financial_year, counted.last_number, moment.now, $6::jsonb
    from counted, moment
    returning ${COLUMNS}`,
};
