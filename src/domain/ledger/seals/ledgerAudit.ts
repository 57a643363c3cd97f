import { type Database, type NoParams, execute, type Sql, statement } from '../../../db/sql.js';
import type { SealArchive, SealHead } from '../../../ports/sealArchive.js';
import { raiseAlerts } from '../../shared/alerts/raiseAlert.js';
import type { ClockWatch } from '../../shared/clock/clock.service.js';
import { newId } from '../../shared/ids.js';
import { atOneInstant, describeFault, LedgerVerification, nameOf, type LedgerReport } from '../verify/verify.js';
import { SLICES, verifyNight } from './verifyNight.js';
import { readArchive } from './reconciliations.js';
import { checkBlocks, checkSealedEntries } from './sealChecks.js';
import { readHeads, readLastHead } from './sealHeads.js';
import { sealUpToNow } from './sealLedger.js';
import { ifProcessLockIsFree, withProcessLock } from '../../shared/processLock.js';

export interface LedgerHealth {
  readonly lastSeal: SealHead | null;
  /** `null` if the books were never verified. */
  readonly lastVerifiedAt: Date | null;
  /** Faulty rows found by the last verification. Above 10,000, one last row stands for the rest. */
  readonly faults: number;
  readonly firstFault: string | null;
}

/** The night that is due, from 00:30 UTC when the night's storage has been charged, and which steps of it remain. */
const DUE_NIGHT = statement<NoParams, DueNight>(
  'audit-due-night',
  `
    select night::text, not exists (select from ledger_audit a where a.night = due.night) as to_verify,
      not exists (select from ledger_seal_night s where s.night = due.night) as to_seal
    from (select ((service_now() - interval '30 minutes') at time zone 'UTC')::date as night) due`,
);

/** Ignores verifications that a fast clock dated into the future, until that time comes. */
const NOT_AHEAD = `verified_at <= service_now() + interval '5 minutes'`;

const NIGHT_SEALED = statement<{ night: string }>(
  'audit-night-sealed',
  'insert into ledger_seal_night (night, sealed_at) values (:night, service_now())',
);

/** How far the verification of the last night reached; no row before the first night. */
const LAST_NIGHT = statement<NoParams, { verified_at: string; last_block: string; faulty_owners: string[] }>(
  'audit-last-night',
  `
    select verified_at, last_block, faulty_owners from ledger_audit where night is not null
      and ${NOT_AHEAD} order by verified_at desc limit 1`,
);

/** Which seventh of the owners is verified completely in a night. */
const SLICE = statement<{ night: string }, { slice: number }>(
  'audit-slice',
  `select (:night::date - date '2000-01-01') % ${SLICES} as slice`,
);

/** Must run first in the snapshot: what arrives during the verification belongs to the next one. */
const BEGIN_VERIFICATION = statement<NoParams, { verified_at: string; last_block: string }>(
  'audit-begin-verification',
  'select service_now() as verified_at, coalesce(max(block_no), 0) as last_block from ledger_seal',
);

interface NewAudit {
  readonly id: string;
  readonly night: string | null;
  readonly verifiedAt: string;
  readonly txCount: string;
  readonly entryCount: string;
  readonly faults: number;
  readonly firstFault: string | null;
  readonly scope: string;
  readonly owners: readonly string[];
  readonly lastBlock: string;
}

const RECORD = statement<NewAudit>(
  'audit-record',
  `
    insert into ledger_audit (id, night, verified_at, transactions, entries, faults, first_fault, scope, faulty_owners,
      last_block)
    values (:id, :night, :verifiedAt, :txCount, :entryCount, :faults, :firstFault, :scope, :owners::uuid[], :lastBlock)`,
);

const LATEST = statement<NoParams, { verified_at: string; faults: number; first_fault: string | null }>(
  'audit-latest',
  `
    select verified_at, faults, first_fault from ledger_audit where ${NOT_AHEAD} order by verified_at desc limit 1`,
);

const MAX_MESSAGE_LENGTH = 2_000;

/** What a verification found in the books as they were when it began. */
interface Verification extends LedgerReport {
  /** As PostgreSQL formats it. */
  readonly verifiedAt: string;
  readonly lastBlock: string;
}

interface DueNight {
  readonly night: string;
  readonly to_verify: boolean;
  readonly to_seal: boolean;
}

/** Verifies and seals the books, every night and on request. */
export class LedgerAudit {
  constructor(
    private readonly deps: {
      readonly db: Database;
      readonly archive: SealArchive;
      /** Checked before each night; without it, no night is held. */
      readonly clock?: ClockWatch;
    },
  ) {}

  /**
   * Verifies everything: all checks of the ledger, the seals against the entries, and the seals against the archive.
   */
  verify(): Promise<LedgerReport> {
    return withProcessLock(this.deps.db, 'seals', async () => {
      await this.healArchive();
      const verification = await this.verifyAll();
      await this.record(verification, { night: null, scope: 'all' });
      return verification;
    });
  }

  /**
   * Seals everything posted since the last block, and appends the heads to the archive, including those that an earlier
   * run failed to append. Returns the new heads; empty if nothing was posted.
   */
  seal(): Promise<readonly SealHead[]> {
    return withProcessLock(this.deps.db, 'seals', () => this.sealAll());
  }

  /**
   * Runs once per UTC day, from 00:30 on or as soon as possible: verifies, then seals. Faults are recorded before
   * anything is sealed, and each faulty row raises an alert for as long as it persists. While the clock is on hold, no
   * night is due.
   * @returns 1 if it was due
   */
  async nightly(signal?: AbortSignal): Promise<number> {
    if (isDone(await this.dueNight())) return 0;
    if (this.deps.clock && !(await this.deps.clock.look())) return 0;
    const done = await ifProcessLockIsFree(this.deps.db, 'seals', async () => {
      const due = await this.dueNight();
      if (isDone(due)) return 0;
      if (due.to_verify) {
        await this.healArchive();
        await this.verifyNight(due.night, signal);
      }
      if (due.to_seal) {
        await this.sealAll(signal);
        await execute(this.deps.db.sql, NIGHT_SEALED, { night: due.night });
      }
      return 1;
    });
    return done ?? 0;
  }

  /** For staff: when the books were last sealed and verified, and the result. */
  async health(): Promise<LedgerHealth> {
    const { sql } = this.deps.db;
    const [latest] = await execute(sql, LATEST);
    return {
      lastSeal: await readLastHead(sql),
      lastVerifiedAt: latest ? new Date(latest.verified_at) : null,
      faults: latest?.faults ?? 0,
      firstFault: latest?.first_fault ?? null,
    };
  }

  private async dueNight(): Promise<DueNight> {
    const [due] = await execute(this.deps.db.sql, DUE_NIGHT);
    return due!;
  }

  /** The first night verifies everything. Later nights verify what is new, and a seventh of the rest. */
  private async verifyNight(night: string, signal?: AbortSignal): Promise<void> {
    const { db, archive } = this.deps;
    const [last] = await execute(db.sql, LAST_NIGHT);
    if (!last) return this.record(await this.verifyAll(signal), { night, scope: 'all' });
    const [row] = await execute(db.sql, SLICE, { night });
    const { slice } = row!;
    const { verified_at: verifiedAt, last_block: lastBlock, faulty_owners: faultyOwners } = last;
    const verification = await this.verifyAtOneInstant(async (sql) =>
      verifyNight(sql, {
        slice,
        last: { verifiedAt, lastBlock: Number(lastBlock), faultyOwners },
        archived: await readArchive(sql, archive),
        signal,
      }),
    );
    await this.record(verification, { night, scope: `new, and slice ${slice + 1} of ${SLICES}` });
  }

  private verifyAll(signal?: AbortSignal): Promise<Verification> {
    return this.verifyAtOneInstant(async (sql) => {
      const verification = new LedgerVerification(sql);
      await verification.ofEverything(signal);
      for await (const faults of checkSealedEntries(sql, { signal })) verification.add(faults);
      verification.add(await checkBlocks(sql, await readArchive(sql, this.deps.archive)));
      return verification.report();
    });
  }

  private verifyAtOneInstant(work: (sql: Sql) => Promise<LedgerReport>): Promise<Verification> {
    return atOneInstant(this.deps.db, async (sql) => {
      const [begun] = await execute(sql, BEGIN_VERIFICATION);
      return { ...(await work(sql)), verifiedAt: begun!.verified_at, lastBlock: begun!.last_block };
    });
  }

  private async sealAll(signal?: AbortSignal): Promise<SealHead[]> {
    const { db, archive } = this.deps;
    const kept = new Set((await readArchive(db.sql, archive)).heads.map((head) => head.blockNo));
    for (const head of await readHeads(db.sql)) {
      if (!kept.has(head.blockNo)) await archive.append({ head });
    }
    const heads = await sealUpToNow(db, signal);
    for (const head of heads) {
      // The archive knows this number, so the database has lost a block. Keep the old head as the evidence.
      if (!kept.has(head.blockNo)) await archive.append({ head });
    }
    return heads;
  }

  /**
   * Appends the heads of a run that ended between its commit and the archive: the newest ones, all of that run. Missing
   * heads of more than one run have another cause, so they are left for the verification to report.
   */
  private async healArchive(): Promise<void> {
    const { db, archive } = this.deps;
    const heads = await readHeads(db.sql);
    const lastKept = (await readArchive(db.sql, archive)).heads.reduce((last, head) => Math.max(last, head.blockNo), 0);
    const missing = heads.filter((head) => head.blockNo > lastKept);
    if (missing.some((head) => head.sealedAt !== missing[0]!.sealedAt)) return;
    for (const head of missing) await archive.append({ head });
  }

  private record(
    verification: Verification,
    { night, scope }: { readonly night: string | null; readonly scope: string },
  ): Promise<void> {
    return this.deps.db.transaction(async ({ sql }) => {
      const { txCount, entryCount, faults, verifiedAt, lastBlock } = verification;
      await execute(sql, RECORD, {
        id: newId(),
        night,
        verifiedAt,
        txCount: txCount.toString(),
        entryCount: entryCount.toString(),
        faults: faults.length,
        firstFault: faults[0] ? describeFault(faults[0]) : null,
        scope,
        owners: [...new Set(faults.map(({ ownerId }) => ownerId))],
        lastBlock,
      });
      const alerts = faults.map((fault) => ({
        subject: nameOf(fault),
        message: `Ledger verification failed: ${describeFault(fault)}`.slice(0, MAX_MESSAGE_LENGTH),
      }));
      await raiseAlerts(sql, { kind: 'ledger.fault', alerts });
    });
  }
}

function isDone({ to_verify: toVerify, to_seal: toSeal }: DueNight): boolean {
  return !toVerify && !toSeal;
}
