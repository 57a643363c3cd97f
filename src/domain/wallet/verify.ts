import type { Database, Sql, Statement } from '../../db/sql.js';
import { ledgerAccountName } from './ledgerAccounts.js';
import { ADJUSTMENT_CHECKS, ADJUSTMENT_CLAIMS, ADJUSTMENT_FORMS } from './verifyAdjustments.js';
import { ALLOCATION_FORMS } from './verifyAllocations.js';
import { BOOK_CHECKS } from './verifyBooks.js';
import { ESCROW_CHECKS, ESCROW_CLAIMS, ESCROW_FORMS } from './verifyEscrows.js';
import { formCheck, unexplained, type TxForm } from './verifyForms.js';
import { HOLD_CHECKS } from './verifyHolds.js';
import { PAYMENT_CHECKS, PAYMENT_CLAIMS, PAYMENT_FORMS } from './verifyPayments.js';
import { REFERRAL_CHECKS, REFERRAL_CLAIMS, REFERRAL_FORMS } from './verifyReferrals.js';
import { RIGHTS_CHECKS } from './verifyRights.js';
import { NEW_BOOKS, RECENT_FACTS, WHOLE_BOOKS, type Scope } from './verifyScope.js';
import { STORAGE_CHECKS, STORAGE_CLAIMS, STORAGE_FORMS, STORED_CHECKS } from './verifyStorage.js';

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
 * One thing that must hold, as a query over the relations of a scope that returns the rows where it does not:
 * `owner_id`, `subject`, `expected` and `found`. A subject that begins with `@` is a ledger account's number, or
 * `@number:version`.
 */
export type LedgerCheck = Statement;

export const MAX_FAULTS = 100;
const OWNERS_PER_PAGE = 1000;

/** Every kind of posting there is. A new one is a form, added here: what has none is a fault. */
const FORMS: readonly TxForm[] = [
  ...ALLOCATION_FORMS,
  ...ESCROW_FORMS,
  ...PAYMENT_FORMS,
  ...REFERRAL_FORMS,
  ...STORAGE_FORMS,
  ...ADJUSTMENT_FORMS,
];

/** From transactions to facts. */
const TX_CHECKS: readonly LedgerCheck[] = [...FORMS.map(formCheck), unexplained(FORMS)];

/** From facts to transactions, and what facts must say among themselves. */
const FACT_CHECKS: readonly LedgerCheck[] = [
  {
    name: 'posting-missing',
    text: `
      select c.owner_id, c.key as subject, 'a posting' as expected, 'none' as found
      from (${[ESCROW_CLAIMS, PAYMENT_CLAIMS, REFERRAL_CLAIMS, STORAGE_CLAIMS, ADJUSTMENT_CLAIMS].join(' union all ')}) c
      where not exists (select from ledger_tx t where t.owner_id = c.owner_id and t.idempotency_key = c.key)`,
  },
  ...ESCROW_CHECKS,
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

/** Whatever the role or the database says: names mean our tables, and definitions are printed as `CATALOGUE` has them. */
const OUR_NAMES: Statement = {
  name: 'ledger-verify-names',
  text: 'set local search_path = pg_catalog, public, pg_temp',
};

const AS_LONG_AS_IT_TAKES: Statement = {
  name: 'ledger-verify-unhurried',
  text: 'set local statement_timeout = 0',
};

const OWNERS: Statement = {
  name: 'ledger-verify-owners',
  text: `
    select distinct owner_id from ledger_account where $1::uuid is null or owner_id > $1
    order by owner_id limit ${OWNERS_PER_PAGE}`,
};

/** What belongs to nobody who has accounts: no page of owners comes upon it. */
const STRAYS: Statement = {
  name: 'ledger-verify-strays',
  text: `
    select owner_id::text, subject, 'an owner with accounts' as expected, 'none' as found, 'owner' as name from (
      select owner_id, idempotency_key as subject from ledger_tx
      union
      select owner_id, tx_id::text from ledger_entry
      union
      select account_id, 'escrow of ' || video_id from escrow
      union
      select account_id, provider || ' ' || payment_id from payment
    ) row where not exists (select from ledger_account a where a.owner_id = row.owner_id)
    order by 1, 2 limit ${MAX_FAULTS}`,
};

const SIZE: LedgerCheck = {
  name: 'size',
  text: 'select null as owner_id, null as subject, (select count(*) from tx) as expected, (select count(*) from line) as found',
};

const OF_LINES = [SIZE, ...BOOK_CHECKS, ...HOLD_CHECKS, ...TX_CHECKS];
const WHOLE = proofOf(WHOLE_BOOKS, [...OF_LINES, ...FACT_CHECKS, ...STORED_CHECKS, ...RIGHTS_CHECKS]);
const NEW = proofOf(NEW_BOOKS, [...OF_LINES, ...PAYMENT_CHECKS, ...RIGHTS_CHECKS]);
const RECENT = proofOf(RECENT_FACTS, FACT_CHECKS);

/** All checks over one scope, as one statement: what they look at is read once. */
function proofOf({ name, relations }: Scope, checks: readonly LedgerCheck[]): Statement {
  const faults = checks.map(
    (check) => `
      (select ${checks.indexOf(check)} as nth, '${check.name}' as name, owner_id::text, subject::text, expected::text, found::text
      from (${check.text}) fault order by owner_id, subject limit ${MAX_FAULTS})`,
  );
  return {
    name: `ledger-verify-${name}`,
    text: `with ${relations} select name, owner_id, subject, expected, found
      from (${faults.join(' union all ')}) fault order by nth, owner_id, subject limit ${MAX_FAULTS + 1}`,
  };
}

/**
 * Proves the books: see the lists of checks. They are explained to the micro-credit: every transaction follows from a
 * business fact, and every fact has its transactions. Reads the whole ledger as it stood at one instant, whatever is being
 * booked meanwhile; blocks nobody.
 */
export function verifyLedger(db: Database): Promise<LedgerReport> {
  return atOneInstant(db, (sql) => checkLedger(sql));
}

/** Runs `read` on one consistent snapshot, in which each statement may take as long as it takes. */
export function atOneInstant<T>(db: Database, read: (sql: Sql) => Promise<T>): Promise<T> {
  return db.transaction(async ({ sql }) => {
    await sql.query(ONE_INSTANT);
    await sql.query(OUR_NAMES);
    await sql.query(AS_LONG_AS_IT_TAKES);
    return read(sql);
  });
}

/** All checks of {@link verifyLedger}, in the caller's snapshot. */
export async function checkLedger(sql: Sql, signal?: AbortSignal): Promise<LedgerReport> {
  const proof = new LedgerProof(sql);
  await proof.ofStrays();
  for (let lastOwner: string | null = null; !proof.isFull;) {
    signal?.throwIfAborted();
    const owners: string[] = (await sql.query<{ owner_id: string }>(OWNERS, [lastOwner])).map((row) => row.owner_id);
    if (owners.length === 0) break;
    await proof.ofOwners(owners);
    lastOwner = owners.at(-1)!;
  }
  return proof.report();
}

/** A proof that is made part by part, in one snapshot. Give it at most 1,000 owners at once. */
export class LedgerProof {
  private readonly faults: LedgerFault[] = [];
  private txCount = 0n;
  private entryCount = 0n;

  constructor(private readonly sql: Sql) {}

  /** True where there is no room for another fault. */
  get isFull(): boolean {
    return this.faults.length >= MAX_FAULTS;
  }

  /** All books of these owners. */
  ofOwners(owners: readonly string[]): Promise<void> {
    return this.run(WHOLE, owners);
  }

  /** What these owners have booked since they were last sealed. */
  ofNewEntries(owners: readonly string[]): Promise<void> {
    return this.run(NEW, owners);
  }

  /** The facts that came or changed since then, of whichever owner. @param since PostgreSQL's text */
  ofFactsSince(since: string): Promise<void> {
    return this.run(RECENT, since);
  }

  /** What belongs to nobody who has accounts. Reads every row there is. */
  ofStrays(): Promise<void> {
    return this.run(STRAYS);
  }

  add(faults: readonly LedgerFault[]): void {
    this.faults.push(...faults);
  }

  report(): LedgerReport {
    const { txCount, entryCount, faults } = this;
    return { txCount, entryCount, faults: faults.slice(0, MAX_FAULTS) };
  }

  private async run(statement: Statement, ...values: readonly unknown[]): Promise<void> {
    for (const row of await this.sql.query<FaultRow>(statement, values)) {
      if (row.name === SIZE.name) {
        this.txCount += BigInt(row.expected);
        this.entryCount += BigInt(row.found);
      } else {
        this.faults.push(faultOf(row));
      }
    }
  }
}

interface FaultRow {
  name: string;
  owner_id: string;
  subject: string;
  expected: string;
  found: string;
}

function faultOf({ name, owner_id: ownerId, subject, expected, found }: FaultRow): LedgerFault {
  return { check: name, ownerId, subject: readableSubject(subject), expected, found };
}

/** One line for a person. */
export function describeFault({ check, ownerId, subject, expected, found }: LedgerFault): string {
  return `${check}: owner ${ownerId}, ${subject}: expected ${expected}, found ${found}`;
}

function readableSubject(subject: string): string {
  if (!subject.startsWith('@')) return subject;
  const [accountNo, version] = subject.slice(1).split(':');
  const account = ledgerAccountName(Number(accountNo));
  return version ? `${account} version ${version}` : account;
}
