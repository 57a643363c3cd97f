import type { Database, Sql, Statement } from '../../db/sql.js';
import { ledgerAccountName } from './ledgerAccounts.js';
import { ADJUSTMENT_CHECKS } from './verifyAdjustments.js';
import { BOOK_CHECKS } from './verifyBooks.js';
import { HOLD_CHECKS } from './verifyHolds.js';
import { PAYMENT_CHECKS } from './verifyPayments.js';
import { REFERRAL_CHECKS } from './verifyReferrals.js';
import { STORAGE_CHECKS } from './verifyStorage.js';

/** One row of the books that does not hold, named so that a person can find it. */
export interface LedgerFault {
  /** The check that found it, such as `tx-sum`. */
  readonly check: string;
  readonly ownerId: string;
  /** The ledger account, the transaction, or what else is wrong. */
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

/**
 * One thing that must hold, as a statement that returns the rows where it does not: `owner_id`, `subject`, `expected`
 * and `found`, all text. A subject that begins with `@` is a ledger account's number, or `@number:version`.
 */
export type LedgerCheck = Statement;

export const MAX_FAULTS = 100;

/** A new kind of fact that the books must agree with is a list of its own, added here. */
const CHECKS: readonly LedgerCheck[] = [
  ...BOOK_CHECKS,
  ...HOLD_CHECKS,
  ...PAYMENT_CHECKS,
  ...REFERRAL_CHECKS,
  ...STORAGE_CHECKS,
  ...ADJUSTMENT_CHECKS,
];

/** Before anything else of a transaction: what it reads is what stood in the database at one instant. */
const ONE_INSTANT: Statement = {
  name: 'ledger-verify-snapshot',
  text: 'set transaction isolation level repeatable read, read only',
};

const AS_LONG_AS_IT_TAKES: Statement = {
  name: 'ledger-verify-unhurried',
  text: 'set local statement_timeout = 0',
};

const SIZE: Statement = {
  name: 'ledger-verify-size',
  text: 'select (select count(*) from ledger_tx) as txs, (select count(*) from ledger_entry) as entries',
};

/**
 * Proves the books: see the lists of checks. Reads the whole ledger as it stood at one instant, whatever is being
 * booked meanwhile; blocks nobody.
 */
export function verifyLedger(db: Database): Promise<LedgerReport> {
  return atOneInstant(db, (sql) => checkLedger(sql));
}

/** Runs `read` on one consistent snapshot, in which each statement may take as long as it takes. */
export function atOneInstant<T>(db: Database, read: (sql: Sql) => Promise<T>): Promise<T> {
  return db.transaction(async ({ sql }) => {
    await sql.query(ONE_INSTANT);
    await sql.query(AS_LONG_AS_IT_TAKES);
    return read(sql);
  });
}

/** All checks of {@link verifyLedger}, in the caller's snapshot. */
export async function checkLedger(sql: Sql, signal?: AbortSignal): Promise<LedgerReport> {
  const [size] = await sql.query<{ txs: string; entries: string }>(SIZE);
  const faults: LedgerFault[] = [];
  for (const check of CHECKS) {
    signal?.throwIfAborted();
    faults.push(...(await runCheck(sql, check)));
  }
  return {
    txCount: BigInt(size!.txs),
    entryCount: BigInt(size!.entries),
    faults: faults.slice(0, MAX_FAULTS),
  };
}

interface FaultRow {
  owner_id: string;
  subject: string;
  expected: string;
  found: string;
}

async function runCheck(sql: Sql, { name, text }: LedgerCheck): Promise<LedgerFault[]> {
  const statement = {
    name: `verify-${name}`,
    text: `select owner_id::text, subject, expected, found from (${text}) fault order by 1, 2 limit ${MAX_FAULTS}`,
  };
  const rows = await sql.query<FaultRow>(statement);
  return rows.map(({ owner_id: ownerId, subject, expected, found }) => ({
    check: name,
    ownerId,
    subject: readableSubject(subject),
    expected,
    found,
  }));
}

function readableSubject(subject: string): string {
  if (!subject.startsWith('@')) return subject;
  const [accountNo, version] = subject.slice(1).split(':');
  const account = ledgerAccountName(Number(accountNo));
  return version ? `${account} version ${version}` : account;
}
