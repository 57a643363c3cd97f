import type { LedgerCheck } from './verify.js';

/** Each bonus that a referral says was granted or taken back is in the books, once, and none beside. */
export const REFERRAL_CHECKS: readonly LedgerCheck[] = [
  {
    name: 'referral',
    text: `
      with side as (
        select account_id as owner_id, 'referral:' || account_id || ':invitee' as key, status from referral
        union all
        select account_id, 'referral:' || invitee_id || ':referrer', status from referral_invitee
      ), fact as (
        select owner_id, key, 'REFERRAL_BONUS' as type from side where status in ('granted', 'clawed_back')
        union all
        select owner_id, key || ':clawback', 'REFUND' from side where status = 'clawed_back'
      ), posting as (
        select owner_id, idempotency_key as key, type from ledger_tx
        where type = 'REFERRAL_BONUS' or type = 'REFUND' and starts_with(idempotency_key, 'referral:')
      )
      select coalesce(f.owner_id, p.owner_id) as owner_id, coalesce(f.key, p.key) as subject,
        coalesce(f.type, 'no posting') as expected, coalesce(p.type, 'none') as found
      from fact f full join posting p on p.owner_id = f.owner_id and p.key = f.key
      where p.type is distinct from f.type`,
  },
];
