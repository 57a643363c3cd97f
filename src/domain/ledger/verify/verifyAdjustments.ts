import { MICROS_PER_CREDIT } from '../credits.js';
import { DEMO_GIFT } from '../demoGift.js';
import { type LedgerCheck, putIn, type TxForm, uuidIn } from './verifyForms.js';

const UP = putIn('f.amount_micros') as { DEBT: string; MASTER: string };
const LAPSED = 'closing:lapsed:';

/** Movements without a payment: staff adjustments, each with the row that says who requested and approved it, and others. */
export const ADJUSTMENT_FORMS: readonly TxForm[] = [
  {
    name: 'adjustment',
    applies: `t.type = 'ADJUSTMENT' and starts_with(t.key, 'adjustment:support:')`,
    fact: `
      select a.* from adjustment a
      where a.account_id = t.owner_id and a.idempotency_key = substr(t.key, length('adjustment:support:') + 1)
        and a.tx_id = t.tx_id and a.status in ('posted', 'approved') and t.metadata ->> 'reason' = a.reason`,
    moves: {
      MASTER: `case when f.amount_micros < 0 then f.amount_micros else ${UP.MASTER} end`,
      DEBT: `case when f.amount_micros < 0 then 0 else ${UP.DEBT} end`,
      ADJUSTMENT: '-f.amount_micros',
    },
    intent: 'f.amount_micros',
  },
  {
    // Credits for the demo account of the first start. There is one, and it gets this once.
    name: 'demo-credits',
    applies: `t.type = 'ADJUSTMENT' and t.key = 'adjustment:${DEMO_GIFT.idempotencyKey}'`,
    fact: `
      select ${DEMO_GIFT.amountMicros}::bigint as amount_micros from auth."user" u
      where u.id = t.owner_id and u.email = '${DEMO_GIFT.email}'`,
    moves: { ...UP, ADJUSTMENT: '-f.amount_micros' },
    intent: 'f.amount_micros',
    mayLackIntent: true,
  },
  {
    // What an account brought from another service.
    name: 'import',
    applies: `t.type = 'ADJUSTMENT' and starts_with(t.key, 'adjustment:import:')`,
    fact: `
      select i.* from account_import i
      where i.account_id = t.owner_id and i.archive_id::text = substr(t.key, length('adjustment:import:') + 1)
        and i.tx_id = t.tx_id`,
    moves: { ...UP, ADJUSTMENT: '-f.amount_micros' },
    intent: 'f.amount_micros',
  },
  {
    // Before adjustments had their own rows, only the audit trail recorded who made them. None can be added later,
    // because the database sets the times of postings. A database that began with the baseline has no such migration in
    // its journal, and no such adjustments.
    name: 'adjustment-before-approvals',
    applies: `t.type = 'ADJUSTMENT' and starts_with(t.key, 'adjustment:') and not starts_with(t.key, 'adjustment:support:')
      and not starts_with(t.key, 'adjustment:import:') and t.key <> 'adjustment:${DEMO_GIFT.idempotencyKey}'`,
    fact: `
      select (e.details ->> 'amount')::numeric * ${MICROS_PER_CREDIT} as amount_micros
      from audit_entry e join mikro_orm_migrations m on m.name = 'Migration0019SealsAndApprovals'
      where e.account_id = t.owner_id and e.action = 'wallet.adjust' and e.details ->> 'transaction' = t.tx_id::text
        and e.actor_id <> t.owner_id and e.reason = t.metadata ->> 'reason' and t.created_at < m.executed_at`,
    moves: { MASTER: 'f.amount_micros::bigint', ADJUSTMENT: '-f.amount_micros::bigint' },
  },
  {
    // Credits that no payment stood for, which ended with their account.
    name: 'closing-lapsed',
    applies: `t.type = 'ADJUSTMENT' and starts_with(t.key, '${LAPSED}')`,
    fact: `
      select c.lapsed_micros from account_closing c
      where c.account_id = t.owner_id and c.id = ${uuidIn(`substr(t.key, length('${LAPSED}') + 1)`)}
        and c.reopened_at is null and c.erase_after <= t.created_at`,
    moves: { MASTER: '-f.lapsed_micros', ADJUSTMENT: 'f.lapsed_micros' },
  },
];

export const ADJUSTMENT_CLAIMS = `
  select account_id as owner_id, 'adjustment:support:' || idempotency_key as key from fact_adjustment
  where status in ('posted', 'approved')
  union all
  select account_id, 'adjustment:import:' || archive_id from fact_account_import where tx_id is not null
  union all
  select account_id, '${LAPSED}' || id from fact_account_closing where lapsed_micros > 0`;

export const ADJUSTMENT_CHECKS: readonly LedgerCheck[] = [
  {
    // The rules of the table, which its owner could remove, and the audit trail of staff.
    name: 'adjustment-approval',
    text: `
      select a.account_id as owner_id, a.id::text as subject,
        case when wrong then 'another person for the account, the request and the approval' else 'an entry in the audit trail' end as expected,
        a.status || ' by ' || concat_ws(' and ', a.requested_by, a.decided_by) as found
      from fact_adjustment a cross join lateral (
        select a.requested_by = a.account_id or coalesce(a.decided_by in (a.account_id, a.requested_by), false)
          or (a.status = 'approved') <> (a.decided_by is not null) as wrong
      ) people
      where a.status in ('posted', 'approved') and (wrong or not exists (
        select from audit_entry t
        where t.account_id = a.account_id and t.action = 'wallet.adjust' and t.details ->> 'transaction' = a.tx_id::text
          and t.actor_id = coalesce(a.decided_by, a.requested_by)))`,
  },
];
