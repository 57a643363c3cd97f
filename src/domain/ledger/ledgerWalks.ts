import { statement } from '../../db/sql.js';
import { FIRST_COMPANY_ACCOUNT_NO } from './ledgerAccounts.js';
import type { LedgerRange } from './ledgerFilter.js';
import type { LedgerTxType } from './ledgerRules.js';

/** The row of a line, as this folder's statements select it. */
export interface LedgerLineRow {
  account_no: number;
  version: string;
  delta: string;
  balance_after: string;
  tx_id: string;
  created_at: string;
  type: LedgerTxType;
  reference: string | null;
  metadata: Record<string, string>;
  idempotency_key: string;
}

/** Where a page ended: the next one has the entries before. */
export interface Position {
  readonly beforeTime: string;
  readonly beforeTx: string;
  readonly beforeAccount: string;
}

/** What all walks are given. Each uses what it filters by. */
interface Walk extends Position, LedgerRange {
  readonly ownerId: string;
  readonly first: number;
}

const COLUMNS = `e.account_no, e.version, e.delta, e.balance_after, e.tx_id, e.created_at,
      t.type, t.reference, t.metadata, t.idempotency_key`;
const PERIOD = (row: string) => `${row}.created_at >= :from::timestamptz and ${row}.created_at < :to::timestamptz`;
const BEFORE = ':beforeTime::timestamptz, :beforeTx::uuid';
const BELOW = `(e.created_at, e.tx_id, e.account_no) < (${BEFORE}, :beforeAccount::smallint)`;
const NEWEST = `order by e.created_at desc, e.tx_id desc, e.account_no desc limit :first`;
/** The limit keeps the planner from one big join with all of the owner's txs. */
const TX_OF_ENTRY = `cross join lateral (
      select * from ledger_tx t where t.owner_id = :ownerId and t.tx_id = e.tx_id limit 1
    ) t`;
/**
 * A tx and its entries have the same time, so the index by time finds them. The limit, above the number of entries a tx
 * can have, keeps the planner from reading all of the owner's entries for one big join.
 */
const ENTRIES_OF_TX = `
  cross join lateral (
    select * from ledger_entry e
    where e.owner_id = :ownerId and e.created_at = t.created_at and e.tx_id = t.tx_id
      and e.account_no < ${FIRST_COMPANY_ACCOUNT_NO}
      and (:accountNos::smallint[] is null or e.account_no = any (:accountNos))
      and (:amountMicros::bigint is null or abs(e.delta) = :amountMicros) and ${BELOW}
    order by e.account_no desc limit ${FIRST_COMPANY_ACCOUNT_NO}
  ) e
  where t.owner_id = :ownerId and ${PERIOD('t')} and (t.created_at, t.tx_id) <= (${BEFORE})`;

const ALL = statement<Walk, LedgerLineRow>(
  'ledger-walk-all',
  `
    select ${COLUMNS} from ledger_entry e ${TX_OF_ENTRY}
    where e.owner_id = :ownerId and e.account_no < ${FIRST_COMPANY_ACCOUNT_NO} and ${BELOW} and ${PERIOD('e')}
    ${NEWEST}`,
);

const BY_ACCOUNT = statement<Walk, LedgerLineRow>(
  'ledger-walk-accounts',
  `
    select e.* from unnest(:accountNos::smallint[]) wanted(account_no) cross join lateral (
      select ${COLUMNS} from ledger_entry e ${TX_OF_ENTRY}
      where e.owner_id = :ownerId and e.account_no = wanted.account_no and ${BELOW} and ${PERIOD('e')}
        and (:types::text[] is null or t.type = any (:types))
      order by e.created_at desc, e.tx_id desc limit :first
    ) e
    ${NEWEST}`,
);

const BY_TYPE = statement<Walk, LedgerLineRow>(
  'ledger-walk-types',
  `
    select e.* from unnest(:types::text[]) wanted(type) cross join lateral (
      select ${COLUMNS} from ledger_tx t ${ENTRIES_OF_TX}
        and t.type = wanted.type
      order by t.created_at desc, t.tx_id desc, e.account_no desc limit :first
    ) e
    ${NEWEST}`,
);

const BY_REFERENCE = statement<Walk, LedgerLineRow>(
  'ledger-walk-reference',
  `
    select ${COLUMNS} from ledger_tx t ${ENTRIES_OF_TX}
      and t.reference = :reference and (:types::text[] is null or t.type = any (:types))
    order by t.created_at desc, t.tx_id desc, e.account_no desc limit :first`,
);

const BY_AMOUNT = statement<Walk, LedgerLineRow>(
  'ledger-walk-amount',
  `
    select ${COLUMNS} from ledger_entry e ${TX_OF_ENTRY}
    where e.owner_id = :ownerId and e.account_no < ${FIRST_COMPANY_ACCOUNT_NO} and abs(e.delta) = :amountMicros::bigint
      and ${BELOW} and ${PERIOD('e')}
      and (:accountNos::smallint[] is null or e.account_no = any (:accountNos))
      and (:types::text[] is null or t.type = any (:types))
    ${NEWEST}`,
);

/**
 * Five ways to walk an owner's entries, newest first. Each walks one index and stops after a page. For several accounts
 * or types, each gets its own short walk, and the results are sorted: never more than a page per walk, except that an
 * amount together with a type reads all of the owner's entries of that amount.
 */
export const LEDGER_WALKS = { ALL, BY_ACCOUNT, BY_TYPE, BY_REFERENCE, BY_AMOUNT } as const;

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
