import type { Statement } from '../../../db/sql.js';

/** Everything about one payment happens one after the other, seen or not seen before. First of all locks. */
export const TAKE_TURN: Statement = {
  name: 'payment-take-turn',
  text: `select pg_advisory_xact_lock(hashtextextended($1 || ':' || $2, 71))`,
};

/** Facts only ever add up: the earliest capture, the latest failure, everyone who paid. The row is locked by it. */
export const NOTE_PAYMENT: Statement = {
  name: 'payment-note',
  text: `
    insert into payment as p (account_id, provider, payment_id, topup_id, order_id, created_at)
    values ($1, $2, $3, $4, $5, service_now())
    on conflict (account_id, provider, payment_id) do update
    set order_id = coalesce(p.order_id, excluded.order_id)
    returning *`,
};

export const NOTE_CAPTURE: Statement = {
  name: 'payment-note-capture',
  text: `
    update payment set
      amount_minor = coalesce(amount_minor, $4), currency = coalesce(currency, $5),
      captured_at = least(captured_at, $6::timestamptz),
      payer_hashes = (select coalesce(array_agg(distinct h order by h), '{}') from unnest(payer_hashes || $7::text[]) h)
    where account_id = $1 and provider = $2 and payment_id = $3
    returning *`,
};

/**
 * Failed stays, then processed: whichever is told first. Of two amounts the greater one counts. No row where it is known
 * as another payment's: it stays there.
 */
export const NOTE_FAILURE: Statement = {
  name: 'payment-note-failure',
  text: `
    update payment set failed_at = greatest(failed_at, $4::timestamptz)
    where account_id = $1 and provider = $2 and payment_id = $3
    returning *`,
};

export const NOTE_CONTRADICTION: Statement = {
  name: 'payment-note-contradiction',
  text: `
    update payment set contradiction = $4
    where account_id = $1 and provider = $2 and payment_id = $3 and contradiction is null`,
};

/** Of two currencies neither is believed: ISO 4217's code for no currency stays, and nothing is counted. */
const CURRENCY = (row: string) => `case when ${row}.currency = excluded.currency then ${row}.currency else 'XXX' end`;

/** What was told in another way before, added to what was known to be. */
function conflicts(row: string, checks: Readonly<Record<string, string>>): string {
  const found = Object.entries(checks).map(([word, differs]) => `case when ${differs} then '${word}' end`);
  return `array(select distinct word from unnest(${row}.conflicts || array[${found.join(', ')}]) word
        where word is not null order by word)`;
}

export const NOTE_REFUND: Statement = {
  name: 'payment-note-refund',
  text: `
    insert into payment_refund as r
      (account_id, provider, refund_id, payment_id, amount_minor, currency, state, provider_created_at, was_processed,
        request_id, created_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9,
      (select id from refund_request q
        where q.account_id = $1 and q.provider = $2 and q.payment_id = $4 and (q.refund_id = $3 or q.id::text = $10) order by q.id limit 1),
      service_now())
    on conflict (account_id, provider, refund_id) do update set
      state = case
        when 'failed' in (r.state, excluded.state) then 'failed'
        when 'processed' in (r.state, excluded.state) then 'processed'
        else 'pending' end,
      amount_minor = greatest(r.amount_minor, excluded.amount_minor),
      currency = ${CURRENCY('r')},
      provider_created_at = least(r.provider_created_at, excluded.provider_created_at),
      was_processed = r.was_processed or excluded.was_processed,
      request_id = coalesce(r.request_id, excluded.request_id),
      conflicts = ${conflicts('r', {
        amount: 'r.amount_minor <> excluded.amount_minor',
        currency: 'r.currency <> excluded.currency',
        time: 'r.provider_created_at <> excluded.provider_created_at',
      })}
    where r.payment_id = excluded.payment_id
    returning conflicts`,
};

/** The provider's answer may be stored after its webhook was booked. */
export const TIE_REFUND: Statement = {
  name: 'payment-tie-refund',
  text: `
    update payment_refund set request_id = $4
    where account_id = $1 and provider = $2 and refund_id = $3 and request_id is null`,
};

/**
 * Lost stays, then won: what is both at once, or has been returned as well, is a contradiction, and not a reason to give
 * back. Of two amounts the greater one counts; what is lost may be a part of what is disputed. No row where it is known
 * as another payment's: it stays there.
 */
export const NOTE_DISPUTE: Statement = {
  name: 'payment-note-dispute',
  text: `
    insert into payment_dispute as d
      (account_id, provider, dispute_id, payment_id, amount_minor, currency, state, provider_created_at, lost_minor,
        was_returned, conflicts, created_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, case when $7 = 'lost' and $10 then '{outcome}' else '{}' end::text[],
      service_now())
    on conflict (account_id, provider, dispute_id) do update set
      state = case
        when 'lost' in (d.state, excluded.state) then 'lost'
        when 'won' in (d.state, excluded.state) then 'won'
        else 'open' end,
      amount_minor = greatest(d.amount_minor, excluded.amount_minor),
      lost_minor = greatest(d.lost_minor, excluded.lost_minor),
      currency = ${CURRENCY('d')},
      was_returned = d.was_returned or excluded.was_returned,
      provider_created_at = least(d.provider_created_at, excluded.provider_created_at),
      conflicts = ${conflicts('d', {
        amount: 'd.amount_minor <> excluded.amount_minor or d.lost_minor <> excluded.lost_minor',
        currency: 'd.currency <> excluded.currency',
        outcome: `'lost' in (d.state, excluded.state) and (d.was_returned or excluded.was_returned)`,
        time: 'd.provider_created_at <> excluded.provider_created_at',
      })}
    where d.payment_id = excluded.payment_id
    returning conflicts`,
};

export const REFUNDS: Statement = {
  name: 'payment-refunds',
  text: `
    select payment_id, refund_id, amount_minor, currency, state, provider_created_at, was_processed, request_id,
      counted_micros, from_hold_micros, bookings
    from payment_refund where account_id = $1 and provider = $2 and payment_id = any ($3::text[])`,
};

export const DISPUTES: Statement = {
  name: 'payment-disputes',
  text: `
    select payment_id, dispute_id, amount_minor, currency, state, provider_created_at, lost_minor, open_micros, lost_micros
    from payment_dispute where account_id = $1 and provider = $2 and payment_id = any ($3::text[])`,
};

export const REQUESTS: Statement = {
  name: 'payment-refund-requests',
  text: `
    select payment_id, id, held_micros, status, refund_id
    from refund_request where account_id = $1 and provider = $2 and payment_id = any ($3::text[])`,
};

export const DECIDE_OUTCOME: Statement = {
  name: 'payment-decide-fate',
  text: `
    update payment set fate = $4, credited_micros = $5, micros_per_minor = $6
    where account_id = $1 and provider = $2 and payment_id = $3`,
};

/** A credit that its own facts contradict is in suspense from now on; the top-up is as if it had not been paid. */
export const WITHDRAW: Statement = {
  name: 'payment-withdraw',
  text: `
    with unpaid as (
      update topup set status = case when expires_at > service_now() then 'open' else 'expired' end,
        payment_id = null, captured_at = null, credited_at = null
      where account_id = $1 and payment_id = $3 and provider = $2
    )
    update payment set fate = 'suspense', withdrawn_micros = $4, taken = '{}', held = '{}', revision = revision + 1
    where account_id = $1 and provider = $2 and payment_id = $3
    returning *`,
};

export const MARK_PAID: Statement = {
  name: 'topup-mark-paid',
  text: `
    update topup set status = 'paid', payment_id = $3, captured_at = $4, credited_at = service_now(),
      next_check_at = null, webhook_missing_since = null
    where account_id = $1 and id = $2`,
};

export const KEEP_EARLIEST_CAPTURE: Statement = {
  name: 'topup-earliest-capture',
  text: `
    update topup set captured_at = least(captured_at, $4::timestamptz)
    where account_id = $1 and id = $2 and payment_id = $3`,
};

/** The webhook has come, whatever it said. An alert that nobody has been told of yet need not be told any more. */
export const WEBHOOK_CAME: Statement = {
  name: 'topup-webhook-came',
  text: `
    with came as (
      update topup set webhook_missing_since = null
      where account_id = $1 and id = $2 and webhook_missing_since is not null returning id
    )
    update alert set resolved_at = service_now(), announced_at = coalesce(announced_at, service_now())
    where kind = 'payment.webhook_missing' and subject = (select id::text from came) and resolved_at is null`,
};

export const SAVE_PAYMENT: Statement = {
  name: 'payment-save',
  text: `
    update payment set taken = $4, held = $5, disputed_micros = $6, refunded_at = $7, revision = revision + 1
    where account_id = $1 and provider = $2 and payment_id = $3`,
};

export const SAVE_REFUND: Statement = {
  name: 'payment-save-refund',
  text: `
    update payment_refund set counted_micros = $4, from_hold_micros = $5, bookings = $6
    where account_id = $1 and provider = $2 and refund_id = $3`,
};

export const SAVE_DISPUTE: Statement = {
  name: 'payment-save-dispute',
  text: `
    update payment_dispute set open_micros = $4, lost_micros = $5
    where account_id = $1 and provider = $2 and dispute_id = $3`,
};

export const SAVE_REQUEST: Statement = {
  name: 'payment-save-request',
  text: `
    update refund_request set status = $3, next_attempt_at = null, resolved_at = service_now()
    where account_id = $1 and id = $2`,
};
