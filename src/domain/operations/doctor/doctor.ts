import { setTimeout as delay } from 'node:timers/promises';

import { type Database, execute, type Sql, type Statement, statement } from '../../../db/sql.js';
import { NOTHING, type Check, type Findings, type Look } from './check.js';

const DEFAULT_STATEMENT_SECONDS = 10;
const DEFAULT_CHECK_SECONDS = 60;

/** How one check went. */
export interface CheckReport {
  readonly name: string;
  readonly title: string;
  readonly remedy: string;
  readonly canRepair: boolean;
  /** What is stuck now: after the repair, where there was one. */
  readonly findings: Findings;
  /** Why it could not be looked at, or could not be repaired. */
  readonly error: string | null;
  /** What was stuck before, and how much the repair did; `null` where none ran. */
  readonly repair: { readonly before: number; readonly done: number } | null;
}

export interface DoctorReport {
  readonly checks: readonly CheckReport[];
  /** Everything could be looked at, and nothing is stuck. */
  readonly healthy: boolean;
}

export interface DoctorOptions {
  readonly db: Database;
  /** Made anew for every examination: what one finds out is no use to the next. */
  readonly checks: () => readonly Check[];
  /** A statement of a check gives up after so long, default 10 s; a whole check after so long, default 60 s. */
  readonly statementSeconds?: number;
  readonly checkSeconds?: number;
}

/**
 * Looks at everything that can get stuck, beside a running service.
 *
 * It reads in short transactions of their own that lock nothing. One check that fails says so, and hides none of the
 * others. Repairs are what the service's own chores do, and as those they may be cut off anywhere.
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
        // A repair takes as long as it takes; only what looks is hurried.
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
    // Those that can be cut short are asked to first; a store that never answers is left behind a little later.
    const hurry = setTimeout(() => over.abort(), checkSeconds * 1000);
    const done = new AbortController();
    const tooLate = delay(checkSeconds * 1000 + 5000, undefined, { signal: done.signal }).then(() => {
      throw new Error(`no answer within ${checkSeconds} seconds`);
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

/** Each statement in a transaction of its own that cannot change anything and does not run for long. */
function readOnly(db: Database, statementSeconds: number): Sql {
  const bounds = statement<{ timeoutMs: string }>(
    'doctor-bounds',
    `select set_config('transaction_read_only', 'on', true), set_config('statement_timeout', :timeoutMs, true)`,
  );
  return {
    query: <Row extends object>(statement: Statement, values?: readonly unknown[]) =>
      db.transaction(async ({ sql }) => {
        await execute(sql, bounds, { timeoutMs: `${statementSeconds * 1000}` });
        return sql.query<Row>(statement, values);
      }),
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
