import type { Database, Statement } from '../../db/sql.js';
import type { SealArchive, SealHead } from '../../ports/sealArchive.js';
import { raiseAlert } from '../alerts/raiseAlert.js';
import { newId } from '../ids.js';
import { atOneInstant, checkLedger, MAX_FAULTS, type LedgerFault, type LedgerReport } from '../wallet/verify.js';
import { checkBlocks, checkSealedEntries } from './sealChecks.js';
import { readHeads, readLastHead } from './sealHeads.js';
import { sealBlock } from './sealLedger.js';
import { ifProcessLockIsFree, withProcessLock } from '../processLock.js';

export interface LedgerHealth {
  readonly lastSeal: SealHead | null;
  /** `null` where the books were never proved. */
  readonly lastVerifiedAt: Date | null;
  /** Wrong rows that the last proof found; at 100 it stops counting. */
  readonly faults: number;
  readonly firstFault: string | null;
}

/** Half an hour past midnight UTC, when the night's storage has been charged. */
const DUE_NIGHT: Statement = {
  name: 'audit-due-night',
  text: `
    select night::text from (select ((service_now() - interval '30 minutes') at time zone 'UTC')::date as night) due
    where not exists (select from ledger_audit a where a.night >= due.night)`,
};

const RECORD: Statement = {
  name: 'audit-record',
  text: `
    insert into ledger_audit (id, night, verified_at, transactions, entries, faults, first_fault)
    values ($1, $2, service_now(), $3, $4, $5, $6)`,
};

const LATEST: Statement = {
  name: 'audit-latest',
  text: 'select verified_at, faults, first_fault from ledger_audit order by verified_at desc limit 1',
};

/** Proves the books and seals them, every night and when asked to. */
export class LedgerAudit {
  constructor(private readonly deps: { readonly db: Database; readonly archive: SealArchive }) {}

  /** Everything that can be told: the checks of the ledger, the seals against the entries, and against the archive. */
  verify(): Promise<LedgerReport> {
    return withProcessLock(this.deps.db, 'seals', async () => {
      const report = await this.proveAll();
      await this.record(report, null);
      return report;
    });
  }

  /**
   * Seals what was booked since the last block, and puts the heads into the archive, those an earlier run failed to
   * put there included. Returns the new heads; none where nothing was booked.
   */
  seal(): Promise<readonly SealHead[]> {
    return withProcessLock(this.deps.db, 'seals', () => this.sealAll());
  }

  /**
   * Once per UTC day, from 00:30 on or as soon as it can: proves, seals, checks the chain. What does not hold becomes
   * an alert that names the first wrong row. @returns 1 where it was due.
   */
  async nightly(signal?: AbortSignal): Promise<number> {
    const { db } = this.deps;
    if ((await this.dueNight()) === null) return 0;
    const done = await ifProcessLockIsFree(db, 'seals', async () => {
      const night = await this.dueNight();
      if (night === null) return 0;
      const report = await this.proveAll(signal);
      await this.sealAll(signal);
      const chain = await atOneInstant(db, async (sql) => checkBlocks(sql, await this.deps.archive.heads()));
      const faults = [...report.faults, ...chain.filter((fault) => !isAmong(fault, report.faults))];
      await this.record({ ...report, faults: faults.slice(0, MAX_FAULTS) }, night);
      return 1;
    });
    return done ?? 0;
  }

  /** For staff: when the books were last sealed and proved, and with what result. */
  async health(): Promise<LedgerHealth> {
    const { sql } = this.deps.db;
    const [latest] = await sql.query<{ verified_at: string; faults: number; first_fault: string | null }>(LATEST);
    return {
      lastSeal: await readLastHead(sql),
      lastVerifiedAt: latest ? new Date(latest.verified_at) : null,
      faults: latest?.faults ?? 0,
      firstFault: latest?.first_fault ?? null,
    };
  }

  private async dueNight(): Promise<string | null> {
    const [due] = await this.deps.db.sql.query<{ night: string }>(DUE_NIGHT);
    return due?.night ?? null;
  }

  private proveAll(signal?: AbortSignal): Promise<LedgerReport> {
    return atOneInstant(this.deps.db, async (sql) => {
      const report = await checkLedger(sql, signal);
      const sealed = await checkSealedEntries(sql, signal);
      const blocks = await checkBlocks(sql, await this.deps.archive.heads());
      return { ...report, faults: [...report.faults, ...sealed, ...blocks].slice(0, MAX_FAULTS) };
    });
  }

  private async sealAll(signal?: AbortSignal): Promise<SealHead[]> {
    const { db, archive } = this.deps;
    const kept = new Set((await archive.heads()).map((head) => head.blockNo));
    for (const head of await readHeads(db.sql)) {
      if (!kept.has(head.blockNo)) await archive.append(head);
    }
    const heads: SealHead[] = [];
    for (;;) {
      const head = await sealBlock(db, signal);
      if (head === null) return heads;
      // A number the archive knows was taken back from the database: the old head stays, and says so.
      if (!kept.has(head.blockNo)) await archive.append(head);
      heads.push(head);
    }
  }

  private record(report: LedgerReport, night: string | null): Promise<void> {
    return this.deps.db.transaction(async ({ sql }) => {
      const { txCount, entryCount, faults } = report;
      const first = faults[0] ? describeFault(faults[0]) : null;
      const size = [txCount.toString(), entryCount.toString(), faults.length];
      await sql.query(RECORD, [newId(), night, ...size, first]);
      if (!faults[0]) return;
      await raiseAlert(sql, {
        kind: 'ledger.fault',
        subject: `${faults[0].check} ${faults[0].ownerId} ${faults[0].subject}`,
        message: `The ledger does not hold (${faults.length} wrong). First: ${first}`,
      });
    });
  }
}

/** One line for a person. */
export function describeFault({ check, ownerId, subject, expected, found }: LedgerFault): string {
  return `${check}: owner ${ownerId}, ${subject}: expected ${expected}, found ${found}`;
}

function isAmong(fault: LedgerFault, faults: readonly LedgerFault[]): boolean {
  return faults.some((other) => other.check === fault.check && other.subject === fault.subject);
}
