import { LEDGER_ACCOUNTS } from '../ledgerAccounts.js';
import type { LedgerCheck } from './verifyForms.js';
import { numbered, putInNumbered, uuidIn, type TxForm } from './verifyForms.js';

/** The escrow that the key and reference of `t` name. */
function escrowOf(step: string, status: string): string {
  return `
    select e.* from escrow e
    where e.account_id = t.owner_id and e.video_id = ${uuidIn('t.reference')}
      and 'escrow:${step}:' || e.video_id || ':' || e.attempt = t.key and ${status}`;
}

/** Credits locked for a job, and their settlement or release: resolved once, as the escrow says. */
export const ESCROW_FORMS: readonly TxForm[] = [
  {
    // What MASTER adds before a lock: exactly what is missing, so the bucket then has just the locked amount.
    name: 'escrow-draw',
    applies: `t.type = 'ALLOCATION' and starts_with(t.key, 'escrow:draw:')`,
    fact: `
      select e.bucket, filled.delta from (${escrowOf('draw', `e.bucket <> ${LEDGER_ACCOUNTS.MASTER}`)}) e
        join ledger_entry filled on filled.owner_id = t.owner_id and filled.created_at = t.created_at
          and filled.tx_id = t.tx_id and filled.account_no = e.bucket
      where filled.delta > 0 and filled.balance_after = e.locked_micros`,
    moves: { ...numbered('f.delta', 'f.bucket'), MASTER: '-f.delta' },
  },
  {
    name: 'escrow-lock',
    applies: `t.type = 'ESCROW_LOCK' and starts_with(t.key, 'escrow:lock:')`,
    fact: escrowOf('lock', 'true'),
    moves: { ...numbered('-f.locked_micros', 'f.bucket'), ESCROW: 'f.locked_micros' },
  },
  {
    name: 'escrow-settle',
    applies: `t.type = 'ESCROW_SETTLE' and starts_with(t.key, 'escrow:settle:')`,
    fact: escrowOf('settle', `e.status = 'settled'`),
    moves: {
      ...putInNumbered('(f.locked_micros - f.settled_micros)', 'f.bucket'),
      ESCROW: '-f.locked_micros',
      REVENUE_PROCESSING: 'f.settled_micros',
    },
    intent: 'f.settled_micros',
    mayLackIntent: true,
  },
  {
    name: 'escrow-release',
    applies: `t.type = 'ESCROW_RELEASE' and starts_with(t.key, 'escrow:release:')`,
    fact: escrowOf('release', `e.status = 'released'`),
    moves: { ...putInNumbered('f.locked_micros', 'f.bucket'), ESCROW: '-f.locked_micros' },
    intent: `'all'`,
    mayLackIntent: true,
  },
];

/** The postings that an escrow must have. */
export const ESCROW_CLAIMS = `
  select account_id as owner_id, 'escrow:lock:' || video_id || ':' || attempt as key from fact_escrow
  where locked_micros > 0
  union all
  select account_id, 'escrow:' || case status when 'settled' then 'settle' else 'release' end || ':' || video_id || ':' || attempt
  from fact_escrow where locked_micros > 0 and status <> 'locked'`;

export const ESCROW_CHECKS: readonly LedgerCheck[] = [
  {
    // What was bought is locked, and never more than that is settled. An escrow without a job is released.
    name: 'escrow-job',
    text: `
      select e.account_id as owner_id, e.video_id || ':' || e.attempt as subject,
        coalesce('a job for ' || p.price_micros, 'no escrow: there is no such job') as expected,
        e.locked_micros || ' locked, ' || e.settled_micros || ' settled' as found
      from fact_escrow e left join processing p using (account_id, video_id, attempt)
      where e.locked_micros is distinct from p.price_micros and (p.price_micros is not null or e.status <> 'released')
        or e.settled_micros > e.locked_micros
        or e.settled_micros > 0 and e.status <> 'settled'`,
  },
];
