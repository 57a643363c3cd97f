import type { AttemptRow, OutputRow } from './leftovers.sql.js';
import { type Database, execute, type TypedStatement } from '../../../db/sql.js';
import type { JobQueue, MeasureUploadJob, ProcessVideoJob } from '../../../ports/jobQueue.js';
import type { ObjectStore } from '../../../ports/objectStore.js';
import { ifStoreIsNotHeld } from '../../shared/processLock.js';
import type { AttemptService } from './attempt.service.js';
import { OBJECT_SWEPT } from '../objects/storedObject.sql.js';
import * as statements from './leftovers.sql.js';
import type { MeasureService } from './measure.service.js';
import { unitOf } from '../objects/storeUnits.js';

/** Maximum pages per kind and sweep; the rest waits for the next minute. */
const MAX_PAGES = 50;

/** Finds and finishes what crashes left half done. Every step may be cut off anywhere and run by several at once. */
export class LeftoversService {
  constructor(
    private readonly deps: {
      db: Database;
      store: ObjectStore;
      queue: JobQueue;
      attempts: AttemptService;
      measures: MeasureService;
    },
  ) {}

  /** Ends attempts that no job will work on, and returns credits for what they did not deliver. @returns how many */
  async abandonOrphans(): Promise<number> {
    const { db, queue, attempts } = this.deps;
    let abandoned = 0;
    let page: statements.OpenAttempt[] = [];
    let after = statements.BEFORE_EVERY_ATTEMPT;
    do {
      page = await execute(db.sql, statements.OPEN_ATTEMPTS, after);
      const live = await queue.liveProcessVideoJobs(page.flatMap((row) => row.job_id ?? []));
      for (const row of page) {
        after = { afterAccount: row.account_id, afterVideo: row.video_id, afterAttempt: row.attempt };
        if (row.job_id !== null && live.has(row.job_id)) continue;
        if (await attempts.abandon(jobOf(row))) abandoned += 1;
      }
    } while (page.length === statements.BATCH);

    for (const row of await execute(db.sql, statements.ORPHANED_ESCROWS)) {
      if (await attempts.releaseOrphan(jobOf(row))) abandoned += 1;
    }
    return abandoned;
  }

  /**
   * Requests measuring again for uploads that nobody measured, or that were not bought as their owner had chosen. Gives
   * up on uploads that cannot be measured. @returns how many
   */
  async resumeMeasuring(): Promise<number> {
    const { db, queue, measures } = this.deps;
    const rows = [
      ...(await execute(db.sql, statements.STUCK_MEASURES)),
      ...(await execute(db.sql, statements.UNBOUGHT_CHOICES)),
    ];
    for (const row of rows) {
      const job: MeasureUploadJob = { accountId: row.account_id, videoId: row.video_id };
      await (row.hopeless ? measures.giveUp(job) : queue.enqueueMeasureUpload(db.sql, job));
    }
    return rows.length;
  }

  /**
   * Deletes objects that no row refers to any more, unless a backup holds them. @returns how many objects and prefixes
   *
   * @throws AggregateError with what could not be deleted; everything else is deleted
   */
  async sweepStore(): Promise<number> {
    return (await ifStoreIsNotHeld(this.deps.db, () => this.sweepNow())) ?? 0;
  }

  private async sweepNow(): Promise<number> {
    const { db, store } = this.deps;
    const failures: unknown[] = [];
    const outputs = await this.sweepEach(statements.DUE_OUTPUTS, {
      at: (row) => ({ afterTime: row.sweep_after, afterKey: row.prefix }),
      remove: (row) => this.removeOutput(row),
      note: (row) => this.noteSwept(row),
      failures,
    });
    const objects = await this.sweepEach(statements.REMOVED_OBJECTS, {
      at: (row) => ({ afterTime: row.removed_at, afterKey: row.key }),
      remove: ({ key }) => (key.endsWith('/') ? store.deletePrefix(key) : store.delete(key)),
      note: async (row) => void (await execute(db.sql, OBJECT_SWEPT, { accountId: row.account_id, key: row.key })),
      failures,
    });
    if (failures.length > 0) throw new AggregateError(failures.slice(0, 10), `${failures.length} were not removed`);
    return outputs + objects;
  }

  /** For a worker that learns that its run is over: removes what it wrote, except what plays. */
  async discardOutput(run: ProcessVideoJob & { run: number }): Promise<void> {
    const [output] = await execute(this.deps.db.sql, statements.DOOMED_OUTPUT, {
      accountId: run.accountId,
      videoId: run.videoId,
      attempt: run.attempt,
      run: run.run,
    });
    if (!output) return;
    // While a backup holds the store, the output stays for the sweep.
    await ifStoreIsNotHeld(this.deps.db, async () => {
      await this.removeOutput(output);
      await this.noteSwept(output);
    });
  }

  /** Deletes what a run wrote, except what it published and still plays. */
  private async removeOutput({ account_id: accountId, video_id: videoId, prefix }: OutputRow): Promise<void> {
    const { db, store } = this.deps;
    const rows = await execute(db.sql, statements.KEPT_UNITS, { accountId, videoId, prefix });
    if (rows.length === 0) return store.deletePrefix(prefix);
    const kept = new Set(rows.map(({ key }) => key));
    const unwanted = new Set<string>();
    for await (const { key } of store.list(prefix)) {
      const unit = unitOf(key, prefix);
      if (!kept.has(unit)) unwanted.add(unit);
    }
    for (const unit of unwanted) await (unit.endsWith('/') ? store.deletePrefix(unit) : store.delete(unit));
  }

  /** Walks all pages. An object that cannot be deleted does not block those after it. */
  private async sweepEach<Row extends object>(
    due: TypedStatement<statements.AfterKey, Row>,
    how: {
      at: (row: Row) => statements.AfterKey;
      remove: (row: Row) => Promise<void>;
      note: (row: Row) => Promise<void>;
      failures: unknown[];
    },
  ): Promise<number> {
    let swept = 0;
    let after: statements.AfterKey = { afterTime: '-infinity', afterKey: '' };
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const rows = await execute(this.deps.db.sql, due, after);
      for (const row of rows) {
        after = how.at(row);
        try {
          await how.remove(row);
        } catch (error) {
          how.failures.push(error);
          continue;
        }
        await how.note(row);
        swept += 1;
      }
      if (rows.length < statements.BATCH) break;
    }
    return swept;
  }

  private async noteSwept(output: OutputRow): Promise<void> {
    const { account_id: accountId, video_id: videoId, attempt, run, prefix } = output;
    await execute(this.deps.db.sql, statements.OUTPUT_SWEPT, { accountId, videoId, attempt, run, prefix });
  }
}

function jobOf(row: AttemptRow): ProcessVideoJob {
  return { accountId: row.account_id, videoId: row.video_id, attempt: row.attempt };
}
