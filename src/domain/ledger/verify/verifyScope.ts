import { LEDGER_ACCOUNTS } from '../ledgerAccounts.js';

/**
 * The rows that a verification reads: the head of a statement, whose relations the checks use.
 *
 * - `owner`: whose books they are.
 * - `span`: an account with the version and balance at which the verification begins: `sealed`, `base`.
 * - `line`: the entries of the accounts after that, with the columns of `span`.
 * - `tx`: transactions with what they move: one column per account, `moved` as text, `hashed` as in request hashes.
 * - `pay`: payments whose postings are added up.
 * - `fact_…`: the rows of that table from which postings must follow.
 */
export type Relations = string;

/** The tables of facts, with the columns that hold when a row was added or changed. */
const FACTS = {
  account_import: ['imported_at'],
  account_closing: ['closed_at', 'erased_at'],
  adjustment: ['requested_at', 'decided_at'],
  escrow: ['created_at', 'resolved_at'],
  payment: ['created_at'],
  payment_dispute: ['created_at'],
  payment_refund: ['created_at'],
  referral: ['joined_at', 'decided_at'],
  referral_invitee: ['joined_at', 'granted_at'],
  refund_request: ['created_at', 'resolved_at'],
  storage_day: ['created_at'],
  storage_reversed_day: ['created_at'],
  suspense_item: ['created_at', 'resolved_at'],
  topup: ['created_at', 'credited_at'],
} as const;

const ACCOUNTS = Object.entries(LEDGER_ACCOUNTS).sort(([, a], [, b]) => a - b);
const NAMES = `array[${ACCOUNTS.map(([name]) => `'${name}'`).join(', ')}]`;
const NUMBERS = `array[${ACCOUNTS.map(([, number]) => number).join(', ')}]::smallint[]`;

/** Transactions `posted` with what their entries move. */
function txOf(posted: string): string {
  const columns = ACCOUNTS.map(
    ([name, number]) => `coalesce(sum(delta) filter (where account_no = ${number}), 0) as ${name.toLowerCase()}`,
  );
  return `tx as materialized (
    select t.owner_id, t.idempotency_key as key, t.type, t.tx_id, t.reference, t.metadata, t.request_hash, t.created_at,
      moves.*
    from (${posted}) t cross join lateral (
      select ${columns.join(', ')}, count(*) as entries, coalesce(sum(delta), 0) as total,
        max(balance_after) filter (where account_no = ${LEDGER_ACCOUNTS.DEBT}) as debt_after,
        coalesce(string_agg(coalesce((${NAMES})[array_position(${NUMBERS}, account_no)], 'account ' || account_no)
          || ' ' || delta, ', ' order by account_no), 'nothing') as moved,
        '[' || string_agg('[' || account_no || ',"' || delta || '"]', ',' order by account_no) || ']' as hashed
      from ledger_entry e where e.owner_id = t.owner_id and e.created_at = t.created_at and e.tx_id = t.tx_id
    ) moves
  )`;
}

function facts(condition: (table: keyof typeof FACTS) => string): string {
  const tables = Object.keys(FACTS) as (keyof typeof FACTS)[];
  return tables.map((table) => `fact_${table} as (select * from ${table} where ${condition(table)})`).join(', ');
}

/**
 * What the owners `:owners` have posted since they were last sealed. The cost is what is new. Versions are dense and only
 * grow, so late commits are not missed.
 */
export const NEW_BOOKS: Relations = `
    owner as (select unnest(:owners::uuid[]) as owner_id),
    span as materialized (
      select a.owner_id, a.account_no, a.version, a.balance, coalesce(old.version, 0) as sealed,
        coalesce(e.balance_after, 0) as base
      from ledger_account a left join lateral (
        select accounts, versions from ledger_seal_owner s where s.owner_id = a.owner_id order by s.block_no desc limit 1
      ) seal on true left join lateral (
        select x.version from unnest(seal.accounts, seal.versions) x(account_no, version) where x.account_no = a.account_no
      ) old on true left join ledger_entry e
        on e.owner_id = a.owner_id and e.account_no = a.account_no and e.version = old.version
      where a.owner_id = any (:owners::uuid[])
    ), line as materialized (
      select e.owner_id, e.account_no, e.version, e.tx_id, e.delta, e.balance_after, e.created_at, s.sealed, s.base
      from span s join ledger_entry e on e.owner_id = s.owner_id and e.account_no = s.account_no and e.version > s.sealed
    ), ${txOf(`
      select t.* from (select distinct owner_id, tx_id from line) l join ledger_tx t using (owner_id, tx_id)`)},
    ${facts(() => 'false')},
    pay as (
      select p.* from (
        select distinct owner_id, metadata ->> 'provider' as provider, metadata ->> 'payment' as payment_id from tx
        where type in ('TOPUP', 'REFUND', 'DISPUTE')
      ) t join payment p on p.account_id = t.owner_id and p.provider = t.provider and p.payment_id = t.payment_id
    )`;

/** Facts of any owner that were added or changed since `:since`. Their postings must exist. */
export const RECENT_FACTS: Relations = `
    ${facts((table) => FACTS[table].map((column) => `${column} >= :since::timestamptz`).join(' or '))},
    pay as (
      select p.* from payment p join (
        select account_id, provider, payment_id from fact_payment
        union
        select account_id, provider, payment_id from fact_payment_refund
        union
        select account_id, provider, payment_id from fact_payment_dispute
        union
        select account_id, provider, payment_id from fact_refund_request
      ) f using (account_id, provider, payment_id)
    )`;

/** All books of the owners `:owners`, from the first entry on. */
export const WHOLE_BOOKS: Relations = `
    owner as (select unnest(:owners::uuid[]) as owner_id),
    span as (
      select owner_id, account_no, version, balance, 0::bigint as sealed, 0::bigint as base
      from ledger_account where owner_id = any (:owners::uuid[])
    ), line as materialized (
      select owner_id, account_no, version, tx_id, delta, balance_after, created_at, 0::bigint as sealed, 0::bigint as base
      from ledger_entry where owner_id = any (:owners::uuid[])
    ), ${txOf('select * from ledger_tx where owner_id = any (:owners::uuid[])')},
    ${facts(() => 'account_id = any (:owners::uuid[])')},
    pay as (select * from fact_payment)`;
