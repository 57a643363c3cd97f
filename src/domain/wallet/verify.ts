import type { Database, Statement } from '../../db/sql.js';
import { ledgerAccountName, LEDGER_ACCOUNTS } from './ledgerAccounts.js';

/** One row of the books that does not hold, named so that a person can find it. */
export interface LedgerFault {
  readonly check: 'tx-sum' | 'tx-entries' | 'running-balance' | 'account-balance' | 'escrow';
  readonly ownerId: string;
  /** The ledger account, or the tx. */
  readonly subject: string;
  readonly expected: string;
  readonly found: string;
}

export interface LedgerReport {
  readonly txCount: bigint;
  readonly entryCount: bigint;
  /** The first rows that are wrong, at most 100; empty where the books hold. */
  readonly faults: readonly LedgerFault[];
}

const MAX_FAULTS = 100;

/** One statement, so that every check sees the same instant, whatever is being booked meanwhile. */
const VERIFY: Statement = {
  name: 'ledger-verify',
  text: `
    with tx_sum as (
      select e.owner_id, e.tx_id, sum(e.delta) as total from ledger_entry e group by 1, 2
    ), line as (
      select owner_id, account_no, version, delta, balance_after,
        row_number() over w as nth, sum(delta) over w as running
      from ledger_entry window w as (partition by owner_id, account_no order by version)
    ), account_sum as (
      select owner_id, account_no, sum(delta) as total, count(*) as entries from ledger_entry group by 1, 2
    ), open_escrow as (
      select account_id, sum(locked_micros) as total from escrow where status = 'locked' group by 1
    ), fault as (
      select 'tx-sum' as "check", owner_id, tx_id::text as subject, '0' as expected, total::text as found
      from tx_sum where total <> 0
      union all
      select 'tx-entries', coalesce(t.owner_id, s.owner_id), coalesce(t.tx_id, s.tx_id)::text,
        case when t.tx_id is null then 'a transaction' else 'entries' end, 'none'
      from ledger_tx t full join tx_sum s using (owner_id, tx_id)
      where t.tx_id is null or s.tx_id is null
      union all
      select 'running-balance', owner_id, account_no || ':' || version,
        nth || ': ' || running, version || ': ' || balance_after
      from line where nth <> version or running <> balance_after
      union all
      select 'account-balance', coalesce(a.owner_id, s.owner_id), coalesce(a.account_no, s.account_no)::text,
        coalesce(s.entries, 0) || ': ' || coalesce(s.total, 0), a.version || ': ' || a.balance
      from ledger_account a full join account_sum s using (owner_id, account_no)
      where a.balance is distinct from coalesce(s.total, 0) or a.version is distinct from coalesce(s.entries, 0)
      union all
      select 'escrow', coalesce(a.owner_id, o.account_id), '${LEDGER_ACCOUNTS.ESCROW}',
        coalesce(o.total, 0)::text, coalesce(a.balance, 0)::text
      from (select * from ledger_account where account_no = ${LEDGER_ACCOUNTS.ESCROW}) a
        full join open_escrow o on o.account_id = a.owner_id
      where coalesce(a.balance, 0) <> coalesce(o.total, 0)
    )
    select (select count(*) from ledger_tx) as txs, (select count(*) from ledger_entry) as entries,
      (select json_agg(f) from (
        select * from fault order by owner_id, "check", subject limit ${MAX_FAULTS}) f) as faults`,
};

const AS_LONG_AS_IT_TAKES: Statement = {
  name: 'ledger-verify-unhurried',
  text: 'set local statement_timeout = 0',
};

/**
 * Proves the books: every tx sums to zero, versions run 1..n without a hole, every balance is the sum of its entries,
 * and ESCROW equals the open escrows. Reads the whole ledger; blocks nobody.
 */
export async function verifyLedger(db: Database): Promise<LedgerReport> {
  const [row] = await db.transaction(async ({ sql }) => {
    await sql.query(AS_LONG_AS_IT_TAKES);
    return sql.query<{ txs: string; entries: string; faults: FaultRow[] | null }>(VERIFY);
  });
  return {
    txCount: BigInt(row!.txs),
    entryCount: BigInt(row!.entries),
    faults: (row!.faults ?? []).map(faultOf),
  };
}

interface FaultRow {
  check: LedgerFault['check'];
  owner_id: string;
  subject: string;
  expected: string;
  found: string;
}

function faultOf(row: FaultRow): LedgerFault {
  const { check, owner_id: ownerId, expected, found } = row;
  if (check === 'tx-sum' || check === 'tx-entries') return { check, ownerId, subject: row.subject, expected, found };
  const [accountNo, version] = row.subject.split(':');
  const account = ledgerAccountName(Number(accountNo));
  return { check, ownerId, subject: version ? `${account} version ${version}` : account, expected, found };
}
