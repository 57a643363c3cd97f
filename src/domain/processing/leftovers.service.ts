import type { Database, Statement } from '../../db/sql.js';
import type { JobQueue, MeasureUploadJob, ProcessVideoJob } from '../../ports/jobQueue.js';
import type { ObjectStore } from '../../ports/objectStore.js';
import type { AttemptService } from './attempt.service.js';
import type { MeasureService } from './measure.service.js';

/** Enough for one sweep; the next one comes within the minute. */
const BATCH = 200;

/** Young ones may belong to a transaction whose job this process cannot see yet; nobody misses them for a minute. */
const OPEN_ATTEMPTS: Statement = {
  name: 'leftovers-open-attempts',
  text: `
    select account_id, video_id, attempt, job_id from processing
    where state in ('queued', 'running') and queued_at < service_now() - interval '30 seconds'
      and (account_id, video_id, attempt) > ($1::uuid, $2::uuid, $3::integer)
    order by account_id, video_id, attempt limit ${BATCH}`,
};

/** Resolved attempts resolve their escrow in the same transaction; this finds what a bug or a repair left behind. */
const ORPHANED_ESCROWS: Statement = {
  name: 'leftovers-orphaned-escrows',
  text: `
    select e.account_id, e.video_id, e.attempt from escrow e
    where e.status = 'locked' and e.created_at < service_now() - interval '30 seconds' and not exists (
      select 1 from processing p where p.account_id = e.account_id and p.video_id = e.video_id
        and p.attempt = e.attempt and p.state in ('queued', 'running'))
    limit ${BATCH}`,
};

const STUCK_MEASURES: Statement = {
  name: 'leftovers-stuck-measures',
  text: `
    select account_id, id as video_id, updated_at < service_now() - interval '1 hour' as hopeless from video
    where status = 'uploaded' and duration_ms is null and source_key is not null and deleted_at is null
      and updated_at < service_now() - interval '1 minute'
    limit ${BATCH}`,
};

const DUE_OUTPUTS: Statement = {
  name: 'leftovers-due-outputs',
  text: `
    select account_id, video_id, attempt, run, prefix from processing_output
    where sweep_after <= service_now() order by sweep_after limit ${BATCH}`,
};

/**
 * A worker that was frozen when its output was swept may still finish the write it was in when it wakes, and die
 * before it hears of its loss: so each prefix is looked at again, minutes and a day later.
 */
const OUTPUT_SWEPT: Statement = {
  name: 'leftovers-output-swept',
  text: `
    update processing_output set sweeps = sweeps + 1,
      sweep_after = service_now() + (array[interval '10 minutes', interval '25 hours'])[sweeps + 1]
    where account_id = $1 and video_id = $2 and attempt = $3 and run = $4`,
};

const DOOMED_OUTPUT: Statement = {
  name: 'leftovers-doomed-output',
  text: `
    select account_id, video_id, attempt, run, prefix from processing_output
    where account_id = $1 and video_id = $2 and attempt = $3 and run = $4 and doomed_at is not null`,
};

const REMOVED_OBJECTS: Statement = {
  name: 'leftovers-removed-objects',
  text: `
    select account_id, key from stored_object
    where removed_at is not null and swept_at is null order by removed_at limit ${BATCH}`,
};

const OBJECT_SWEPT: Statement = {
  name: 'leftovers-object-swept',
  text: 'update stored_object set swept_at = service_now() where account_id = $1 and key = $2',
};

interface AttemptRow {
  readonly account_id: string;
  readonly video_id: string;
  readonly attempt: number;
}

interface OutputRow extends AttemptRow {
  readonly run: number;
  readonly prefix: string;
}

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

  /** Ends attempts that no job will ever work on, giving their credits back. @returns how many. */
  async abandonOrphans(): Promise<number> {
    const { db, queue, attempts } = this.deps;
    let abandoned = 0;
    let page: (AttemptRow & { job_id: string | null })[] = [];
    let after: unknown[] = ['00000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000-000000000000', 0];
    do {
      page = await db.sql.query(OPEN_ATTEMPTS, after);
      const live = await queue.liveProcessVideoJobs(page.flatMap((row) => row.job_id ?? []));
      for (const row of page) {
        after = [row.account_id, row.video_id, row.attempt];
        if (row.job_id !== null && live.has(row.job_id)) continue;
        if (await attempts.abandon(jobOf(row))) abandoned += 1;
      }
    } while (page.length === BATCH);

    for (const row of await db.sql.query<AttemptRow>(ORPHANED_ESCROWS)) {
      if (await attempts.releaseOrphan(jobOf(row))) abandoned += 1;
    }
    return abandoned;
  }

  /** Asks again for uploads that nobody measured, and gives up on those that nobody can. */
  async resumeMeasuring(): Promise<void> {
    const { db, queue, measures } = this.deps;
    const rows = await db.sql.query<AttemptRow & { hopeless: boolean }>(STUCK_MEASURES);
    for (const row of rows) {
      const job: MeasureUploadJob = { accountId: row.account_id, videoId: row.video_id };
      await (row.hopeless ? measures.giveUp(job) : queue.enqueueMeasureUpload(db.sql, job));
    }
  }

  /** Deletes from the store what no row wants any more. @returns how many objects and prefixes. */
  async sweepStore(): Promise<number> {
    const { db, store } = this.deps;
    const outputs = await db.sql.query<OutputRow>(DUE_OUTPUTS);
    for (const output of outputs) await this.sweepOutput(output);

    const objects = await db.sql.query<{ account_id: string; key: string }>(REMOVED_OBJECTS);
    for (const { account_id: accountId, key } of objects) {
      await (key.endsWith('/') ? store.deletePrefix(key) : store.delete(key));
      await db.sql.query(OBJECT_SWEPT, [accountId, key]);
    }
    return outputs.length + objects.length;
  }

  /** For a worker that learns that its run is over: removes what it wrote, unless that is what plays. */
  async discardOutput(run: ProcessVideoJob & { run: number }): Promise<void> {
    const [output] = await this.deps.db.sql.query<OutputRow>(DOOMED_OUTPUT, [
      run.accountId,
      run.videoId,
      run.attempt,
      run.run,
    ]);
    if (output) await this.sweepOutput(output);
  }

  private async sweepOutput(output: OutputRow): Promise<void> {
    await this.deps.store.deletePrefix(output.prefix);
    await this.deps.db.sql.query(OUTPUT_SWEPT, [output.account_id, output.video_id, output.attempt, output.run]);
  }
}

function jobOf(row: AttemptRow): ProcessVideoJob {
  return { accountId: row.account_id, videoId: row.video_id, attempt: row.attempt };
}
