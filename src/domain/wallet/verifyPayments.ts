import { LEDGER_ACCOUNTS } from './ledgerAccounts.js';
import type { LedgerCheck } from './verify.js';

/** Money in and out: each fact has its posting, each posting its fact, and no more goes back than came. */
export const PAYMENT_CHECKS: readonly LedgerCheck[] = [
  {
    name: 'topup-posting',
    text: `
      select coalesce(p.owner_id, f.owner_id) as owner_id, coalesce(p.key, f.key) as subject,
        coalesce('a payment of ' || f.micros, 'no posting') as expected,
        coalesce('a posting of ' || p.micros, 'none') as found
      from (
        select t.owner_id, t.idempotency_key as key, -e.delta as micros
        from ledger_tx t left join ledger_entry e on e.owner_id = t.owner_id and e.tx_id = t.tx_id
          and e.account_no = ${LEDGER_ACCOUNTS.CASH}
        where t.type = 'TOPUP'
      ) p full join (
        select account_id as owner_id, credited_micros as micros,
          case fate when 'credited' then 'topup:' else 'suspense:' end || provider || ':' || payment_id as key
        from payment where fate <> 'none' and credited_micros > 0
      ) f on f.owner_id = p.owner_id and f.key = p.key
      where p.micros is distinct from f.micros`,
  },
  {
    name: 'topup-payment',
    text: `
      select coalesce(t.account_id, p.account_id) as owner_id, coalesce(t.id, p.topup_id)::text as subject,
        case when t.id is null then 'not paid' else 'paid by ' || t.payment_id || ': ' || t.credit_micros end as expected,
        case when p.payment_id is null then 'no credited payment'
          else 'paid by ' || p.payment_id || ': ' || p.credited_micros end as found
      from (select * from topup where status = 'paid') t
        full join (select * from payment where fate = 'credited') p on p.account_id = t.account_id and p.topup_id = t.id
      where t.payment_id is distinct from p.payment_id or t.credit_micros is distinct from p.credited_micros`,
  },
  {
    name: 'payment-returns',
    text: `
      select p.account_id as owner_id, p.provider || ' ' || p.payment_id as subject,
        'at most ' || p.credited_micros as expected, (coalesce(r.micros, 0) + coalesce(d.micros, 0))::text as found
      from payment p left join (
        select account_id, provider, payment_id, sum(counted_micros) as micros from payment_refund group by 1, 2, 3
      ) r using (account_id, provider, payment_id) left join (
        select account_id, provider, payment_id, sum(lost_micros + open_micros) as micros
        from payment_dispute group by 1, 2, 3
      ) d using (account_id, provider, payment_id)
      where coalesce(r.micros, 0) + coalesce(d.micros, 0) > p.credited_micros`,
  },
  {
    // A dispute holds what there is of what is disputed.
    name: 'payment-hold',
    text: `
      select p.account_id as owner_id, p.provider || ' ' || p.payment_id as subject,
        'at most ' || coalesce(d.micros, 0) as expected, h.micros::text as found
      from payment p cross join lateral (
        select coalesce(sum(value::bigint), 0) as micros from jsonb_each_text(p.held)
      ) h left join (
        select account_id, provider, payment_id, sum(open_micros) as micros from payment_dispute group by 1, 2, 3
      ) d using (account_id, provider, payment_id)
      where h.micros > coalesce(d.micros, 0)`,
  },
];
