import type { LedgerCheck } from './verifyForms.js';
import { anyOf, putIn, uuidIn, type TxForm } from './verifyForms.js';

/** The payment that `t` names. */
const PAYMENT = `
  select p.* from payment p
  where p.account_id = t.owner_id and p.provider = t.metadata ->> 'provider' and p.payment_id = t.metadata ->> 'payment'`;

/** The refund or dispute of that payment that the key begins with. */
function backOf(kind: 'refund' | 'dispute'): string {
  return `
    select p.topup_id, p.payment_id from payment p join payment_${kind} b using (account_id, provider, payment_id)
    where p.account_id = t.owner_id and p.provider = t.metadata ->> 'provider' and p.payment_id = t.metadata ->> 'payment'
      and p.fate <> 'none' and starts_with(t.key, '${kind}:' || p.provider || ':' || b.${kind}_id)
      and substr(t.key, length('${kind}:' || p.provider || ':' || b.${kind}_id) + 1) ~
        '${kind === 'refund' ? '^(:returned|:[0-9]+)?$' : '^:(lost:[0-9]+|held:[0-9]+(:released)?)$'}'
    limit 1`;
}

const REQUEST = `
  select r.* from refund_request r
  where r.account_id = t.owner_id and r.id = ${uuidIn(`split_part(t.key, ':', 2)`)} and r.held_micros > 0`;

/** Never credited, so its money was never anywhere else. */
const IN_SUSPENSE = `exists (select from payment p where p.account_id = t.owner_id and p.fate = 'suspense'
  and p.withdrawn_micros is null
  and p.provider = t.metadata ->> 'provider' and p.payment_id = t.metadata ->> 'payment')`;

/** Money in and out. Money that goes back in several postings is added up per payment by the checks below. */
export const PAYMENT_FORMS: readonly TxForm[] = [
  {
    name: 'topup',
    applies: `t.type = 'TOPUP' and starts_with(t.key, 'topup:')`,
    fact: `${PAYMENT} and (p.fate = 'credited' or p.withdrawn_micros is not null)
      and t.key = 'topup:' || p.provider || ':' || p.payment_id`,
    moves: { ...putIn('f.credited_micros'), CASH: '-f.credited_micros' },
    reference: 'f.topup_id',
    intent: 'f.credited_micros',
  },
  {
    name: 'suspense-item',
    applies: `t.type = 'TOPUP' and starts_with(t.key, 'suspense:')`,
    fact: `
      select p.credited_micros, coalesce(p.topup_id::text, p.payment_id) as reference
      from (${PAYMENT}) p join suspense_item i using (account_id, provider, payment_id)
      where p.fate = 'suspense' and p.withdrawn_micros is null and t.key = 'suspense:' || p.provider || ':' || p.payment_id
        and i.amount_micros = p.credited_micros`,
    moves: { CASH: '-f.credited_micros', SUSPENSE: 'f.credited_micros' },
    reference: 'f.reference',
  },
  {
    name: 'refund-request',
    applies: `t.type = 'REFUND' and t.key ~ '^refund-request:[^:]*$'`,
    fact: REQUEST,
    moves: { MASTER: '-f.held_micros', REFUND_HOLD: 'f.held_micros' },
    reference: 'f.topup_id',
  },
  {
    name: 'refund-refused',
    applies: `t.type = 'REFUND' and t.key ~ '^refund-request:[^:]*:returned$'`,
    fact: `${REQUEST} and r.status = 'refused'`,
    moves: { ...putIn('f.held_micros'), REFUND_HOLD: '-f.held_micros' },
    reference: 'f.topup_id',
    intent: 'f.held_micros',
  },
  {
    // A credit contradicted by its facts and taken back into suspense.
    name: 'withdrawn-credit',
    applies: `t.type = 'REFUND' and starts_with(t.key, 'withdraw:')`,
    fact: `${PAYMENT} and p.fate = 'suspense' and t.key = 'withdraw:' || p.provider || ':' || p.payment_id`,
    moves: { ...anyOf('MASTER', 'CLOUD', 'AI', 'CREATIVE', 'DEBT', 'DISPUTE_HOLD'), SUSPENSE: 'f.withdrawn_micros' },
    reference: 'f.topup_id',
    intent: `'all'`,
  },
  {
    name: 'refund',
    applies: `t.type = 'REFUND' and starts_with(t.key, 'refund:') and not ${IN_SUSPENSE}`,
    fact: backOf('refund'),
    moves: anyOf('MASTER', 'CLOUD', 'AI', 'CREATIVE', 'DEBT', 'REFUND_HOLD', 'DISPUTE_HOLD', 'CASH', 'SUSPENSE'),
    reference: 'f.topup_id',
  },
  {
    name: 'dispute',
    applies: `t.type = 'DISPUTE' and starts_with(t.key, 'dispute:') and not ${IN_SUSPENSE}`,
    fact: backOf('dispute'),
    moves: anyOf('MASTER', 'CLOUD', 'AI', 'CREATIVE', 'DEBT', 'DISPUTE_HOLD', 'CASH', 'SUSPENSE'),
    reference: 'f.topup_id',
  },
  ...(['refund', 'dispute'] as const).map((kind) => ({
    name: `${kind}-in-suspense`,
    applies: `t.type = '${kind.toUpperCase()}' and starts_with(t.key, '${kind}:') and ${IN_SUSPENSE}`,
    fact: backOf(kind),
    moves: anyOf('SUSPENSE', 'CASH'),
    reference: 'coalesce(f.topup_id::text, f.payment_id)',
  })),
];

export const PAYMENT_CLAIMS = `
  select account_id as owner_id, case when fate = 'credited' or withdrawn_micros is not null then 'topup:' else 'suspense:' end
    || provider || ':' || payment_id as key
  from fact_payment where fate <> 'none' and credited_micros > 0
  union all
  select account_id, 'withdraw:' || provider || ':' || payment_id from fact_payment where withdrawn_micros > 0
  union all
  select account_id, 'refund-request:' || id || what
  from fact_refund_request cross join (values (''), (':returned')) booked(what)
  where held_micros > 0 and (what = '' or status = 'refused')`;

/**
 * Everything posted about the payments `pay`, found by the keys that their facts can have. A refund is posted as often
 * as its row counts, a dispute at most once per revision of the payment.
 */
const POSTED = `
  select p.account_id, p.provider, p.payment_id, k.refund_id, k.dispute_id, t.tx_id, t.created_at
  from pay p cross join lateral (
    select 'topup:' || p.provider || ':' || p.payment_id as key, null as refund_id, null as dispute_id
    union all
    select what || p.provider || ':' || p.payment_id, null, null from (values ('suspense:'), ('withdraw:')) part(what)
    union all
    select 'refund-request:' || r.id || what, null, null
    from refund_request r cross join (values (''), (':returned')) part(what)
    where r.account_id = p.account_id and r.provider = p.provider and r.payment_id = p.payment_id
    union all
    select 'refund:' || r.provider || ':' || r.refund_id || what, r.refund_id, null
    from payment_refund r cross join lateral (
      select '' as what union all select ':returned' union all select ':' || n from generate_series(1, r.bookings) n
    ) part
    where r.account_id = p.account_id and r.provider = p.provider and r.payment_id = p.payment_id
    union all
    select 'dispute:' || d.provider || ':' || d.dispute_id || what, null, d.dispute_id
    from payment_dispute d cross join lateral (
      select ':' || step || ':' || n || ending as what from generate_series(0, p.revision) n
        cross join (values ('lost', ''), ('held', ''), ('held', ':released')) part(step, ending)
    ) part
    where d.account_id = p.account_id and d.provider = p.provider and d.payment_id = p.payment_id
  ) k join ledger_tx t on t.owner_id = p.account_id and t.idempotency_key = k.key`;

const MOVED = `
  select posted.*, e.account_no, e.delta
  from posted join ledger_entry e
    on e.owner_id = posted.account_id and e.created_at = posted.created_at and e.tx_id = posted.tx_id`;

export const PAYMENT_CHECKS: readonly LedgerCheck[] = [
  {
    // For each payment, refund and dispute: its postings together moved what its rows say.
    name: 'payment-books',
    text: `
      with posted as materialized (${POSTED}), moved as materialized (${MOVED}), back as (
        select p.account_id, p.provider, p.payment_id, coalesce(r.micros, 0) + coalesce(d.micros, 0) as micros
        from pay p cross join lateral (
          select sum(counted_micros) as micros from payment_refund r
          where r.account_id = p.account_id and r.provider = p.provider and r.payment_id = p.payment_id
        ) r cross join lateral (
          select sum(lost_micros) as micros from payment_dispute d
          where d.account_id = p.account_id and d.provider = p.provider and d.payment_id = p.payment_id
        ) d
      ), total as (
        select p.*, back.micros as back, (
            select coalesce(sum(r.held_micros), 0) from refund_request r
            where r.account_id = p.account_id and r.provider = p.provider and r.payment_id = p.payment_id
              and r.status = 'requested') as refund_held,
          (select coalesce(sum(h.value::bigint), 0) from jsonb_each_text(p.held) h) as dispute_held,
          case when p.fate = 'none' then 0 else p.credited_micros end as received
        from pay p join back using (account_id, provider, payment_id)
      ), booked as (
        select account_id, provider, payment_id, coalesce(sum(delta) filter (where account_no = 60), 0) as cash,
          coalesce(sum(delta) filter (where account_no = 65), 0) as suspense,
          coalesce(sum(delta) filter (where account_no = 11), 0) as refund_held,
          coalesce(sum(delta) filter (where account_no = 12), 0) as dispute_held
        from moved group by 1, 2, 3
      )
      select t.account_id as owner_id, t.provider || ' ' || t.payment_id as subject,
        said as expected, done as found
      from total t left join booked b using (account_id, provider, payment_id) cross join lateral (
        select format('CASH %s, SUSPENSE %s, REFUND_HOLD %s, DISPUTE_HOLD %s', t.back - t.received,
            case t.fate when 'suspense' then t.received - t.back else 0 end, t.refund_held,
            case t.fate when 'credited' then t.dispute_held else 0 end) as said,
          format('CASH %s, SUSPENSE %s, REFUND_HOLD %s, DISPUTE_HOLD %s', coalesce(b.cash, 0), coalesce(b.suspense, 0),
            coalesce(b.refund_held, 0), coalesce(b.dispute_held, 0)) as done
      ) text
      where said <> done
      union all
      select r.account_id, r.provider || ' refund ' || r.refund_id, r.counted_micros::text, coalesce(m.cash, 0)::text
      from pay p join payment_refund r using (account_id, provider, payment_id) left join (
        select account_id, provider, refund_id, sum(delta) as cash from moved where account_no = 60 group by 1, 2, 3
      ) m on m.account_id = r.account_id and m.provider = r.provider and m.refund_id = r.refund_id
      where coalesce(m.cash, 0) <> r.counted_micros
      union all
      select d.account_id, d.provider || ' dispute ' || d.dispute_id, d.lost_micros::text, coalesce(m.cash, 0)::text
      from pay p join payment_dispute d using (account_id, provider, payment_id) left join (
        select account_id, provider, dispute_id, sum(delta) as cash from moved where account_no = 60 group by 1, 2, 3
      ) m on m.account_id = d.account_id and m.provider = d.provider and m.dispute_id = d.dispute_id
      where coalesce(m.cash, 0) <> d.lost_micros`,
  },
  {
    name: 'payment-returns',
    text: `
      select p.account_id as owner_id, p.provider || ' ' || p.payment_id as subject,
        'at most ' || p.credited_micros as expected, (r.micros + d.micros)::text as found
      from pay p cross join lateral (
        select coalesce(sum(counted_micros), 0) as micros from payment_refund r
        where r.account_id = p.account_id and r.provider = p.provider and r.payment_id = p.payment_id
      ) r cross join lateral (
        select coalesce(sum(lost_micros + open_micros), 0) as micros from payment_dispute d
        where d.account_id = p.account_id and d.provider = p.provider and d.payment_id = p.payment_id
      ) d
      where r.micros + d.micros > p.credited_micros`,
  },
  {
    // A dispute holds at most what is disputed.
    name: 'payment-hold',
    text: `
      select p.account_id as owner_id, p.provider || ' ' || p.payment_id as subject,
        'at most ' || d.micros as expected, h.micros::text as found
      from pay p cross join lateral (
        select coalesce(sum(value::bigint), 0) as micros from jsonb_each_text(p.held)
      ) h cross join lateral (
        select coalesce(sum(open_micros), 0) as micros from payment_dispute d
        where d.account_id = p.account_id and d.provider = p.provider and d.payment_id = p.payment_id
      ) d
      where h.micros > d.micros`,
  },
  {
    // A credit matches its top-up in money, in credits and in the one payment.
    name: 'topup-payment',
    text: `
      select coalesce(t.account_id, p.account_id) as owner_id, coalesce(t.id, p.topup_id)::text as subject,
        case when t.id is null then 'not paid' else 'paid by ' || t.payment_id || ': ' || t.credit_micros end as expected,
        case when p.payment_id is null then 'no credited payment'
          else 'paid by ' || p.payment_id || ': ' || p.credited_micros end as found
      from (
        select account_id, id, payment_id, credit_micros, provider, amount_minor, currency from fact_topup where status = 'paid'
        union
        select t.account_id, t.id, t.payment_id, t.credit_micros, t.provider, t.amount_minor, t.currency
        from topup t join pay p on p.account_id = t.account_id and p.topup_id = t.id where t.status = 'paid'
      ) t full join (
        select p.* from pay p where p.fate = 'credited'
        union
        select p.* from payment p join fact_topup t on p.account_id = t.account_id and p.topup_id = t.id
        where p.fate = 'credited'
      ) p on p.account_id = t.account_id and p.topup_id = t.id
      where (t.payment_id, t.credit_micros, t.provider, t.amount_minor, t.currency)
        is distinct from (p.payment_id, p.credited_micros, p.provider, p.amount_minor, p.currency)`,
  },
];
