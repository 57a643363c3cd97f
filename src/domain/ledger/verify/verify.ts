import { type Database, execute, type NoParams, type Sql, statement, type TypedStatement } from '../../../db/sql.js';
import { ledgerAccountName } from '../ledgerAccounts.js';
import { AFTER_LAST_OWNER } from '../ownersAfter.js';
import { ADJUSTMENT_CHECKS, ADJUSTMENT_CLAIMS, ADJUSTMENT_FORMS } from './verifyAdjustments.js';
import { ALLOCATION_FORMS } from './verifyAllocations.js';
import { BOOK_CHECKS } from './verifyBooks.js';
import { ESCROW_CHECKS, ESCROW_CLAIMS, ESCROW_FORMS } from './verifyEscrows.js';
import { formCheck, NOBODY, unexplained, type LedgerCheck, type TxForm } from './verifyForms.js';
import { HOLD_CHECKS } from './verifyHolds.js';
import { PAYMENT_CHECKS, PAYMENT_CLAIMS, PAYMENT_FORMS } from './verifyPayments.js';
import { REFERRAL_CHECKS, REFERRAL_CLAIMS, REFERRAL_FORMS } from './verifyReferrals.js';
import { RIGHTS_CHECKS } from './verifyRights.js';
import { NEW_BOOKS, RECENT_FACTS, WHOLE_BOOKS, type Relations } from './verifyScope.js';
import { REVERSAL_CHECKS, STORAGE_CHECKS, STORAGE_CLAIMS, STORAGE_FORMS, STORED_CHECKS } from './verifyStorage.js';

/** One faulty row of the books, identified so that a person can find it. */
export interface LedgerFault {
  /** The check that found it, such as `tx-sum`. */
  readonly check: string;
  readonly ownerId: string;
  /** The ledger account, the transaction, or whatever else is wrong. */
  readonly subject: string;
  readonly expected: string;
  readonly found: string;
}

export interface LedgerReport {
  readonly txCount: bigint;
  readonly entryCount: bigint;
  /** The faulty rows; empty if the books are correct. If there are too many, the last row says how many more. */
  readonly faults: readonly LedgerFault[];
}

/** Faults listed per check and owner. One more row counts the others. */
const LISTED_OF_OWNER = 100;
/** Faults listed in all. The search continues after them and counts, so that old faults never hide a new one. */
const LISTED = 10_000;
const OWNERS_PER_PAGE = 1000;

/** Every kind of posting. A new kind needs a form here; a posting without one is a fault. */
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

/** From facts to transactions, and between facts. */
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

/** Must run first in the transaction: all reads then see the database at one instant. */
const ONE_INSTANT = statement('ledger-verify-snapshot', 'set transaction isolation level repeatable read, read only');

/**
 * Overrides the search path of role and database, so that names mean our tables and definitions are printed as in
 * `CATALOGUE`.
 */
const OUR_NAMES = statement('ledger-verify-names', 'set local search_path = pg_catalog, public, pg_temp');

const AS_LONG_AS_IT_TAKES = statement('ledger-verify-unhurried', 'set local statement_timeout = 0');

const OWNERS = statement<{ lastOwner: string | null }, { owner_id: string }>(
  'ledger-verify-owners',
  `
    select distinct owner_id from ledger_account where ${AFTER_LAST_OWNER}
    order by owner_id limit ${OWNERS_PER_PAGE}`,
);

/** Rows of owners without accounts, which no page of owners would reach. */
const STRAY_CHECK: LedgerCheck = {
  name: 'owner',
  text: `
    select owner_id, subject, 'an owner with accounts' as expected, 'none' as found from (
      select owner_id, idempotency_key as subject from ledger_tx
      union
      select owner_id, tx_id::text from ledger_entry
      union
      select account_id, 'escrow of ' || video_id from escrow
      union
      select account_id, provider || ' ' || payment_id from payment
    ) row where not exists (select from ledger_account a where a.owner_id = row.owner_id)`,
};

const SIZE: LedgerCheck = {
  name: 'size',
  text: 'select null as owner_id, null as subject, (select count(*) from tx) as expected, (select count(*) from line) as found',
};

interface OfOwners {
  readonly owners: readonly string[];
}

const OF_LINES = [SIZE, ...BOOK_CHECKS, ...HOLD_CHECKS, ...TX_CHECKS];
const WHOLE = verificationOf<OfOwners>('ledger-verify-whole', WHOLE_BOOKS, [
  ...OF_LINES,
  ...FACT_CHECKS,
  ...STORED_CHECKS,
]);
const NEW = verificationOf<OfOwners>('ledger-verify-new', NEW_BOOKS, [...OF_LINES, ...PAYMENT_CHECKS]);
const RECENT = verificationOf<{ since: string }>('ledger-verify-recent', RECENT_FACTS, FACT_CHECKS);
const STRAYS = verificationOf('ledger-verify-strays', null, [STRAY_CHECK, ...REVERSAL_CHECKS]);
const RIGHTS = verificationOf('ledger-verify-rights', null, RIGHTS_CHECKS);

/**
 * All checks of one scope as a single statement, so that their input is read once.
 *
 * @param relations `null` if the checks name everything they read
 */
function verificationOf<Params extends object = NoParams>(
  name: string,
  relations: Relations | null,
  checks: readonly LedgerCheck[],
) {
  const faults = checks.map(
    (check, nth) => `
      select ${nth} as nth, '${check.name}' as name, owner_id::text,
        case when place <= ${LISTED_OF_OWNER} then subject::text else of_owner - ${LISTED_OF_OWNER} || ' more' end as subject,
        case when place <= ${LISTED_OF_OWNER} then expected::text else 'none' end as expected,
        case when place <= ${LISTED_OF_OWNER} then found::text else of_owner || ' in all' end as found
      from (
        select fault.*, row_number() over (partition by owner_id order by subject) as place,
          count(*) over (partition by owner_id) as of_owner
        from (${check.text}) fault
      ) fault where place <= ${LISTED_OF_OWNER + 1}`,
  );
  return statement<Params, FaultRow>(
    name,
    `${relations === null ? '' : `with ${relations}`} select name, owner_id, subject, expected, found,
        count(*) over ()::integer as rows
      from (${faults.join(' union all ')}) fault order by nth, owner_id, subject limit ${LISTED}`,
  );
}

/**
 * Verifies the books with all checks below, to the micro-credit: every transaction follows from a business fact, and
 * every fact has its transactions. Reads the whole ledger at one instant, during any other postings, and blocks nobody.
 */
export function verifyLedger(db: Database): Promise<LedgerReport> {
  return atOneInstant(db, (sql) => checkLedger(sql));
}

/** Runs `read` on one consistent snapshot, without a statement timeout. */
export function atOneInstant<T>(db: Database, read: (sql: Sql) => Promise<T>): Promise<T> {
  return db.transaction(async ({ sql }) => {
    await execute(sql, ONE_INSTANT);
    await execute(sql, OUR_NAMES);
    await execute(sql, AS_LONG_AS_IT_TAKES);
    return read(sql);
  });
}

/** All checks of {@link verifyLedger}, in the caller's snapshot. */
export async function checkLedger(sql: Sql, signal?: AbortSignal): Promise<LedgerReport> {
  const verification = new LedgerVerification(sql);
  await verification.ofEverything(signal);
  return verification.report();
}

/** A verification in several parts, in one snapshot. Pass at most 1,000 owners at once. */
export class LedgerVerification {
  private readonly faults = new Map<string, LedgerFault>();
  private unlisted = 0;
  private txCount = 0n;
  private entryCount = 0n;

  constructor(private readonly sql: Sql) {}

  async ofEverything(signal?: AbortSignal): Promise<void> {
    await this.ofRights();
    await this.ofStrays();
    for (let lastOwner: string | null = null; ;) {
      signal?.throwIfAborted();
      const page: { owner_id: string }[] = await execute(this.sql, OWNERS, { lastOwner });
      if (page.length === 0) return;
      await this.ofOwners(page.map((row) => row.owner_id));
      lastOwner = page.at(-1)!.owner_id;
    }
  }

  /** Verifies all books of these owners. */
  ofOwners(owners: readonly string[]): Promise<void> {
    return this.run(WHOLE, { owners });
  }

  /** Verifies what these owners have posted since they were last sealed. */
  ofNewEntries(owners: readonly string[]): Promise<void> {
    return this.run(NEW, { owners });
  }

  /** Verifies facts that were added or changed since then, of any owner. @param since as PostgreSQL formats it */
  ofFactsSince(since: string): Promise<void> {
    return this.run(RECENT, { since });
  }

  /** Verifies what protects the books: rights, triggers, functions, rules. */
  ofRights(): Promise<void> {
    return this.run(RIGHTS, {});
  }

  /** Finds rows of owners without accounts. Reads every row. */
  ofStrays(): Promise<void> {
    return this.run(STRAYS, {});
  }

  add(faults: readonly LedgerFault[]): void {
    for (const fault of faults) {
      const name = nameOf(fault);
      if (this.faults.has(name)) continue;
      if (this.faults.size < LISTED) this.faults.set(name, fault);
      else this.unlisted += 1;
    }
  }

  report(): LedgerReport {
    const { txCount, entryCount, unlisted } = this;
    const faults = [...this.faults.values()];
    if (unlisted > 0) {
      const found = `${faults.length + unlisted} in all`;
      faults.push({ check: 'faults', ownerId: NOBODY, subject: `${unlisted} more`, expected: 'none', found });
    }
    return { txCount, entryCount, faults };
  }

  private async run<Params extends object>(
    proof: TypedStatement<Params, FaultRow>,
    params: NoInfer<Params>,
  ): Promise<void> {
    const rows = await execute(this.sql, proof, params);
    for (const row of rows) {
      if (row.name === SIZE.name) {
        this.txCount += BigInt(row.expected);
        this.entryCount += BigInt(row.found);
      } else {
        this.add([faultOf(row)]);
      }
    }
    this.unlisted += (rows[0]?.rows ?? 0) - rows.length;
  }
}

interface FaultRow {
  name: string;
  owner_id: string;
  subject: string;
  expected: string;
  found: string;
  /** Rows of the whole statement, including those above its limit. */
  rows: number;
}

function faultOf({ name, owner_id: ownerId, subject, expected, found }: FaultRow): LedgerFault {
  return { check: name, ownerId, subject: readableSubject(subject), expected, found };
}

/** Identifies a fault; the same for as long as it persists. */
export function nameOf({ check, ownerId, subject }: LedgerFault): string {
  return `${check} ${ownerId} ${subject}`;
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
