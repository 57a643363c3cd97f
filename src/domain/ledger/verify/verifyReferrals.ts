import { BONUS_MICROS, WINDOW_HOURS } from '../referralTerms.js';
import type { LedgerCheck } from './verifyForms.js';
import { putIn, takenFrom, uuidIn, type TxForm } from './verifyForms.js';

const SPENDABLE = ['MASTER', 'CREATIVE', 'AI', 'CLOUD', 'DEBT'] as const;
const OF_INVITEE = `select true as there from referral r where r.account_id = t.owner_id`;
const OF_REFERRER = `
  select true as there from referral_invitee r
  where r.account_id = t.owner_id and r.invitee_id = ${uuidIn(`t.metadata ->> 'invitee'`)}
    and starts_with(t.key, 'referral:' || r.invitee_id || ':')`;

function bonus(side: 'invitee' | 'referrer'): TxForm[] {
  const amount = `${BONUS_MICROS[side]}::bigint`;
  const of = side === 'invitee' ? OF_INVITEE : OF_REFERRER;
  const key = side === 'invitee' ? `t.key = 'referral:' || t.owner_id || ':invitee` : `t.key like 'referral:%:referrer`;
  return [
    {
      name: `bonus-of-${side}`,
      applies: `t.type = 'REFERRAL_BONUS' and ${key}'`,
      fact: `${of} and r.status in ('granted', 'clawed_back')`,
      moves: { ...putIn(amount), PROMO: `-${amount}` },
      intent: amount,
    },
    {
      name: `clawback-of-${side}`,
      applies: `t.type = 'REFUND' and ${key}:clawback'`,
      fact: `${of} and r.status = 'clawed_back'`,
      moves: { ...takenFrom(...SPENDABLE), PROMO: amount },
      intent: amount,
    },
  ];
}

/** Each bonus that a referral says was granted or clawed back, exactly once, and no others. */
export const REFERRAL_FORMS: readonly TxForm[] = [...bonus('invitee'), ...bonus('referrer')];

export const REFERRAL_CLAIMS = `
  select owner_id, key || what as key from (
    select account_id as owner_id, 'referral:' || account_id || ':invitee' as key, status from fact_referral
    union all
    select account_id, 'referral:' || invitee_id || ':referrer', status from fact_referral_invitee
  ) side join (values ('granted', ''), ('clawed_back', ''), ('clawed_back', ':clawback')) booked(status, what) using (status)`;

export const REFERRAL_CHECKS: readonly LedgerCheck[] = [
  {
    // A refund within the window ends the bonus for good.
    name: 'referral-window',
    text: `
      select r.account_id as owner_id, r.provider || ' ' || r.payment_id as subject, 'clawed back' as expected,
        'granted, and refunded at ' || p.refunded_at as found
      from fact_referral r join payment p using (account_id, provider, payment_id)
      where r.status = 'granted' and p.refunded_at <= p.captured_at + interval '${WINDOW_HOURS} hours'`,
  },
  {
    name: 'referral-told',
    text: `
      select r.account_id as owner_id, 'referrer ' || r.referrer_id as subject, 'told that it was ' || told.kind as expected,
        'not told' as found
      from fact_referral r join (values ('granted', 'granted'), ('clawed_back', 'granted'), ('clawed_back', 'clawed_back'))
        told(status, kind) using (status)
      where not exists (
        select from referral_outbox o where o.account_id = r.account_id and o.kind = told.kind)`,
  },
  {
    // The invitee may be in another database. If the account is in this one, so is its referral.
    name: 'referral-invitee',
    text: `
      select i.account_id as owner_id, 'invitee ' || i.invitee_id as subject, 'a referral by this account' as expected,
        coalesce('one by ' || r.referrer_id, 'none') as found
      from fact_referral_invitee i join account a on a.id = i.invitee_id
        left join referral r on r.account_id = i.invitee_id
      where i.status in ('granted', 'clawed_back') and r.referrer_id is distinct from i.account_id`,
  },
];
