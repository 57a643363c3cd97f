import { type Statement, statement } from '../../db/sql.js';
import { FIRST_COMPANY_ACCOUNT_NO } from './ledgerAccounts.js';

/**
 * Four ways to walk an owner's entries, newest first. Each walks one index and stops after a page.
 *
 * All take the same values: $1 owner, $2–$4 where the last page ended (time, tx, account), $5 page size, $6 accounts or
 * null, $7 types or null, $8 from, $9 to, $10 reference. For several accounts or types, each gets a short walk of its
 * own, and the results are sorted: never more than a page per walk.
 */
const COLUMNS = `e.account_no, e.version, e.delta, e.balance_after, e.tx_id, e.created_at,
      t.type, t.reference, t.metadata, t.idempotency_key`;
const PERIOD = (row: string) => `${row}.created_at >= $8::timestamptz and ${row}.created_at < $9::timestamptz`;
const BELOW = `(e.created_at, e.tx_id, e.account_no) < ($2::timestamptz, $3::uuid, $4::smallint)`;
const NEWEST = `order by e.created_at desc, e.tx_id desc, e.account_no desc limit $5`;
/** Gives a type to parameters that a statement does not use; PostgreSQL requires one. */
const UNUSED = (...parameters: string[]) => `(${parameters.map((one) => `${one} is null`).join(' or ')} or true)`;
const TX_OF_ENTRY = `join ledger_tx t on t.owner_id = e.owner_id and t.tx_id = e.tx_id`;
/**
 * A tx and its entries have the same time, so the index by time finds them. The limit, above the number of entries a tx
 * can have, keeps the planner from reading all of the owner's entries for one big join.
 */
const ENTRIES_OF_TX = `
  cross join lateral (
    select * from ledger_entry e
    where e.owner_id = $1 and e.created_at = t.created_at and e.tx_id = t.tx_id
      and e.account_no < ${FIRST_COMPANY_ACCOUNT_NO}
      and ($6::smallint[] is null or e.account_no = any ($6)) and ${BELOW}
    order by e.account_no desc limit ${FIRST_COMPANY_ACCOUNT_NO}
  ) e
  where t.owner_id = $1 and ${PERIOD('t')} and (t.created_at, t.tx_id) <= ($2::timestamptz, $3::uuid)`;

const ALL: Statement = {
  name: 'ledger-walk-all',
  text: `
    select ${COLUMNS} from ledger_entry e ${TX_OF_ENTRY}
    where e.owner_id = $1 and e.account_no < ${FIRST_COMPANY_ACCOUNT_NO} and ${BELOW} and ${PERIOD('e')}
      and ${UNUSED('$6::smallint[]', '$7::text[]', '$10::text')}
    ${NEWEST}`,
};

const BY_ACCOUNT: Statement = {
  name: 'ledger-walk-accounts',
  text: `
    select e.* from unnest($6::smallint[]) wanted(account_no) cross join lateral (
      select ${COLUMNS} from ledger_entry e ${TX_OF_ENTRY}
      where e.owner_id = $1 and e.account_no = wanted.account_no and ${BELOW} and ${PERIOD('e')}
        and ($7::text[] is null or t.type = any ($7)) and ${UNUSED('$10::text')}
      order by e.created_at desc, e.tx_id desc limit $5
    ) e
    ${NEWEST}`,
};

const BY_TYPE: Statement = {
  name: 'ledger-walk-types',
  text: `
    select e.* from unnest($7::text[]) wanted(type) cross join lateral (
      select ${COLUMNS} from ledger_tx t ${ENTRIES_OF_TX}
        and t.type = wanted.type and ${UNUSED('$10::text')}
      order by t.created_at desc, t.tx_id desc, e.account_no desc limit $5
    ) e
    ${NEWEST}`,
};

const BY_REFERENCE: Statement = {
  name: 'ledger-walk-reference',
  text: `
    select ${COLUMNS} from ledger_tx t ${ENTRIES_OF_TX}
      and t.reference = $10 and ($7::text[] is null or t.type = any ($7))
    order by t.created_at desc, t.tx_id desc, e.account_no desc limit $5`,
};

export const LEDGER_WALKS = { ALL, BY_ACCOUNT, BY_TYPE, BY_REFERENCE } as const;

/** Enough to tell a short walk from a long one without counting a long one to its end. */
const COUNTED_TXS = 2_000;

/**
 * The most entries that a walk of these accounts, and the most txs that a walk of these types, can visit. An account's
 * version is the number of its entries.
 */
export const WALK_LENGTHS = statement<
  { ownerId: string; accountNos: readonly number[]; types: readonly string[] },
  { entries: string; txs: string }
>(
  'ledger-walk-lengths',
  `
    select (select coalesce(sum(version), 0) from ledger_account
        where owner_id = :ownerId and account_no = any (:accountNos::smallint[])) as entries,
      (select count(*) from unnest(:types::text[]) wanted(type) cross join lateral (
        select from ledger_tx t where t.owner_id = :ownerId and t.type = wanted.type limit ${COUNTED_TXS}) txs) as txs`,
);
