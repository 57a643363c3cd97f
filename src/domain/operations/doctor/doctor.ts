import { setTimeout as delay } from 'node:timers/promises';

import { type Database, execute, type Sql, type Statement, statement } from '../../../db/sql.js';
import { NOTHING, type Check, type Findings, type Look } from './check.js';

const DEFAULT_STATEMENT_SECONDS = 10;
const DEFAULT_CHECK_SECONDS = 60;

/** The result of one check. */
export interface CheckReport {
  readonly name: string;
  readonly title: string;
  readonly remedy: string;
  readonly canRepair: boolean;
  /** What is stuck now, or after the repair if there was one. */
  readonly findings: Findings;
  /** Why the check or the repair failed. */
  readonly error: string | null;
  /** How much was stuck before, and how much the repair did; `null` if none ran. */
  readonly repair: { readonly before: number; readonly done: number } | null;
}

export interface DoctorReport {
  readonly checks: readonly CheckReport[];
  /** True if every check ran and nothing is stuck. */
  readonly healthy: boolean;
}

export interface DoctorOptions {
  readonly db: Database;
  /** Creates new checks for every examination, because they keep what they find. */
  readonly checks: () => readonly Check[];
  /** Timeouts of a check's statement (default 10 s) and of a whole check (default 60 s). */
  readonly statementSeconds?: number;
  readonly checkSeconds?: number;
}

/**
 * Looks for everything that can get stuck, next to a running service.
 *
 * Reads in its own short transactions that lock nothing. A check that fails says so, and hides none of the others.
 * Repairs do what the service's own chores do, so they may be interrupted at any point.
 */
export class Doctor {
  constructor(private readonly options: DoctorOptions) {}

  async examine({ repair, signal }: { repair: boolean; signal: AbortSignal }): Promise<DoctorReport> {
    const checks: CheckReport[] = [];
    const toDo = this.options.checks();
    for (const check of toDo) {
      if (signal.aborted) break;
      checks.push(await this.examineOne(check, repair, signal));
    }
    const isComplete = checks.length === toDo.length;
    return { checks, healthy: isComplete && checks.every(({ error, findings }) => !error && findings.count === 0) };
  }

  private async examineOne(check: Check, mayRepair: boolean, signal: AbortSignal): Promise<CheckReport> {
    const { name, title, remedy } = check;
    const facts = { name, title, remedy, canRepair: check.repair !== undefined };
    let findings = NOTHING;
    let repair: CheckReport['repair'] = null;
    try {
      findings = await this.find(check, signal);
      if (mayRepair && check.repair && findings.count > 0) {
        const before = findings.count;
        // A repair may take any time; only checks have a time limit.
        const done = await check.repair({ sql: this.options.db.sql, signal });
        repair = { before, done };
        findings = await this.find(check, signal);
      }
      return { ...facts, findings, repair, error: null };
    } catch (error) {
      return { ...facts, findings, repair, error: messageOf(error) };
    }
  }

  private async find(check: Check, signal: AbortSignal): Promise<Findings> {
    const { db, statementSeconds = DEFAULT_STATEMENT_SECONDS, checkSeconds = DEFAULT_CHECK_SECONDS } = this.options;
    const over = new AbortController();
    const look: Look = {
      sql: readOnly(db, statementSeconds),
      signal: AbortSignal.any([signal, over.signal]),
    };
    // First asks the check to stop. If a store never answers, gives up on it five seconds later.
    const hurry = setTimeout(() => over.abort(), checkSeconds * 1000);
    const done = new AbortController();
    const tooLate = delay(checkSeconds * 1000 + 5000, undefined, { signal: done.signal }).then(() => {
      throw new Error(`no response within ${checkSeconds} seconds`);
    });
    try {
      return await Promise.race([check.find(look), tooLate]);
    } finally {
      clearTimeout(hurry);
      done.abort();
      tooLate.catch(() => undefined);
    }
  }
}

const BOUNDS = statement<{ timeoutMs: string }>(
  'doctor-bounds',
  `select set_config('transaction_read_only', 'on', true), set_config('statement_timeout', :timeoutMs, true)`,
);

/** Runs each statement in its own read-only transaction with a timeout. */
function readOnly(db: Database, statementSeconds: number): Sql {
  return {
    query: <Row extends object>(statement: Statement, values?: readonly unknown[]) =>
      db.transaction(async ({ sql }) => {
        await execute(sql, BOUNDS, { timeoutMs: `${statementSeconds * 1000}` });
        return sql.query<Row>(statement, values);
      }),
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
