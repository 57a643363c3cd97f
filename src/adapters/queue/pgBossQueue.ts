import { setTimeout as delay } from 'node:timers/promises';

import { PgBoss, type Db, type Job, type SendOptions } from 'pg-boss';

import { connectionTo } from '../../db/connection.js';
import { execute, type Sql, type Statement, statement, type TypedStatement } from '../../db/sql.js';
import type { Logger } from '../../logger.js';
import type {
  EncodeChunkJob,
  JobBacklog,
  JobQueue,
  MeasureUploadJob,
  ProcessVideoJob,
  QueueWatch,
} from '../../ports/jobQueue.js';
import { span, SpanKind, videoSpan } from '../../tracing.js';
import type { VideoRun, JobHandlers, JobRun, JobSource, JobSourceOptions } from '../../ports/jobSource.js';
import { nextPriority } from './fairOrder.js';
import { ENCODE_CHUNK, MEASURE_UPLOAD, NIGHT, PROCESS_VIDEO, QUEUE_SCHEMA, SWEEP } from './queues.js';

export interface PgBossQueueOptions {
  /** Address with the runtime role. `migrateQueue` has created the tables. */
  readonly url: string;
  readonly logger: Logger;
  /** Whether this process consumes jobs. It then also watches for lost workers and for scheduled jobs. */
  readonly works: boolean;
  readonly maxConnections?: number;
  /** How long finished jobs are kept. Default: as `migrateQueue` said. */
  readonly finishedJobHours?: number;
}

/**
 * How often a worker sends a heartbeat. Without one for `heartbeatSeconds` (queues.ts), the queue gives its job to
 * another.
 */
const HEARTBEAT_REFRESH_SECONDS = 4;
const WATCH_INTERVAL_SECONDS = 5;
/** NOTIFY announces new jobs at once; polling finds those that are retried after a failure. */
const POLLING_INTERVAL_SECONDS = 2;
/** Scheduled jobs come again, so they may be polled rarely. */
const CLOCK_POLLING_INTERVAL_SECONDS = 30;
const MEASURES_AT_ONCE = 2;
const STOP_TIMEOUT_MS = 8000;

type LiveJobs = TypedStatement<{ ids: readonly string[] }, { id: string }>;

const LIVE_JOBS: LiveJobs = statement(
  'queue-live-jobs',
  `select id from ${QUEUE_SCHEMA}.job
  where name = '${PROCESS_VIDEO}' and id = any (:ids::uuid[]) and state in ('created', 'retry', 'active')`,
);

const LIVE_MEASURES: LiveJobs = statement(
  'queue-live-measures',
  `select singleton_key as id from ${QUEUE_SCHEMA}.job
  where name = '${MEASURE_UPLOAD}' and singleton_key = any (:ids::text[]) and state in ('created', 'retry', 'active')`,
);

/** Never earlier than now: `BACKLOG` would count it as a job that has waited for long. */
const HASTEN = statement<{ ids: readonly string[]; seconds: number }>(
  'queue-hasten',
  `update ${QUEUE_SCHEMA}.job
  set start_after = greatest(start_after - make_interval(secs => :seconds::float8), now())
  where name = '${PROCESS_VIDEO}' and id = any (:ids::uuid[]) and state = 'created' and start_after > now()`,
);

/** By kind, also those of which none is left. Jobs that are to run later do not wait. */
const BACKLOG = statement<
  { kinds: readonly string[] },
  { kind: string; waiting: number; active: number; oldest: number }
>(
  'queue-backlog',
  `select queue.name as kind,
    count(job.id) filter (where job.state < 'active')::integer as waiting,
    count(job.id) filter (where job.state = 'active')::integer as active,
    coalesce(max(extract(epoch from now() - greatest(job.created_on, job.start_after)))
      filter (where job.state < 'active' and job.start_after <= now()), 0)::float8 as oldest
  from ${QUEUE_SCHEMA}.queue
    left join ${QUEUE_SCHEMA}.job on job.name = queue.name and job.state < 'completed'
  where queue.name = any (:kinds::text[]) group by queue.name`,
);
/** Finished jobs are deleted after a day, so there are few to read. */
const FAILURES = statement<{ kinds: readonly string[] }, { kind: string; failed: number }>(
  'queue-failures',
  `select name as kind, count(*)::integer as failed from ${QUEUE_SCHEMA}.job
  where name = any (:kinds::text[]) and state = 'failed' and completed_on > now() - interval '24 hours' group by name`,
);
/** Chunks and the per-minute chores are many, so theirs are kept for an hour. */
const KEPT_BY_SETTING = [MEASURE_UPLOAD, PROCESS_VIDEO, NIGHT];
const KINDS = [MEASURE_UPLOAD, PROCESS_VIDEO, ENCODE_CHUNK, SWEEP, NIGHT];

type Run<Data> = JobRun<Data> & Pick<VideoRun, 'takeNext'>;

/** The job queue in PostgreSQL, by pg-boss. */
export class PgBossQueue implements JobQueue, JobSource, QueueWatch {
  private readonly boss: PgBoss;
  private stopping = new AbortController();
  private readonly consumed = new Set<string>();
  /** The queue's own connections; it runs statements without their names. */
  private readonly sql: Sql = {
    query: async <Row extends object>({ text }: Statement, values: readonly unknown[] = []) =>
      (await this.boss.getDb().executeSql(text, [...values])).rows as Row[],
  };

  constructor(private readonly options: PgBossQueueOptions) {
    this.boss = new PgBoss({
      ...connectionTo(options.url),
      schema: QUEUE_SCHEMA,
      application_name: 'dhara queue',
      max: options.maxConnections ?? 4,
      // The running service owns no tables: it must not create, alter or reindex any.
      migrate: false,
      createSchema: false,
      reindex: false,
      monitorVacuum: false,
      useListenNotify: options.works,
      supervise: options.works,
      schedule: options.works,
      superviseIntervalSeconds: WATCH_INTERVAL_SECONDS,
      monitorIntervalSeconds: WATCH_INTERVAL_SECONDS,
    });
    // If the database is briefly unreachable, this is logged, and work continues once it is back.
    this.boss.on('error', (error) => options.logger.warn({ scope: 'job', err: error }, 'queue error'));
    this.boss.on('warning', (warning) => options.logger.warn({ scope: 'job', warning }, 'queue warning'));
  }

  async start(): Promise<void> {
    await this.boss.start();
    const { works, finishedJobHours: hours } = this.options;
    if (!works || hours === undefined) return;
    // Each job takes it from its queue when it is sent.
    for (const name of KEPT_BY_SETTING) await this.boss.updateQueue(name, { deleteAfterSeconds: hours * 3600 });
  }

  /** Ends everything and returns running jobs to the queue. */
  async stop(): Promise<void> {
    await this.stopConsuming();
    await this.boss.stop({ graceful: false });
  }

  async enqueueProcessVideo(
    sql: Sql,
    job: ProcessVideoJob,
    { afterSeconds = 0 }: { readonly afterSeconds?: number } = {},
  ): Promise<string> {
    const id = await this.send(PROCESS_VIDEO, sql, job, afterSeconds > 0 ? { startAfter: afterSeconds } : {});
    if (id === null) throw new Error('the queue took no processing job');
    return id;
  }

  async enqueueMeasureUpload(sql: Sql, job: MeasureUploadJob): Promise<void> {
    await this.send(MEASURE_UPLOAD, sql, job, { singletonKey: job.videoId });
  }

  async enqueueEncodeChunk(sql: Sql, job: EncodeChunkJob): Promise<void> {
    await this.send(ENCODE_CHUNK, sql, job, {});
  }

  async hastenProcessVideo(sql: Sql, jobIds: readonly string[], seconds: number): Promise<void> {
    if (jobIds.length > 0) await execute(sql, HASTEN, { ids: jobIds, seconds });
  }

  async cancelProcessVideo(sql: Sql, jobId: string): Promise<void> {
    await this.boss.cancel(PROCESS_VIDEO, jobId, { db: dbOf(sql) });
  }

  async liveProcessVideoJobs(jobIds: readonly string[]): Promise<ReadonlySet<string>> {
    return this.live(LIVE_JOBS, jobIds);
  }

  async liveMeasureUploadVideos(videoIds: readonly string[]): Promise<ReadonlySet<string>> {
    return this.live(LIVE_MEASURES, videoIds);
  }

  async backlog(): Promise<JobBacklog[]> {
    const rows = await execute(this.sql, BACKLOG, { kinds: KINDS });
    return rows.map(({ oldest, ...row }) => ({ ...row, oldestSeconds: oldest }));
  }

  async failures(): Promise<ReadonlyMap<string, number>> {
    const rows = await execute(this.sql, FAILURES, { kinds: KINDS });
    return new Map(rows.map(({ kind, failed }) => [kind, failed]));
  }

  async consume(handlers: JobHandlers, options: JobSourceOptions): Promise<void> {
    this.stopping = new AbortController();
    for (let i = 0; i < MEASURES_AT_ONCE; i += 1) {
      await this.work<MeasureUploadJob>(MEASURE_UPLOAD, (job) => handlers.measureUpload(job));
    }
    for (let i = 0; i < options.concurrency; i += 1) {
      await this.work<ProcessVideoJob>(PROCESS_VIDEO, (job) => handlers.processVideo(job));
    }
    for (let i = 0; i < options.concurrency; i += 1) {
      await this.work<EncodeChunkJob>(ENCODE_CHUNK, (job) => handlers.encodeChunk(job));
    }
    await this.work<null>(SWEEP, (job) => handlers.sweep(job), CLOCK_POLLING_INTERVAL_SECONDS);
    await this.work<null>(NIGHT, (job) => handlers.night(job), CLOCK_POLLING_INTERVAL_SECONDS);
  }

  async stopConsuming(): Promise<void> {
    if (this.consumed.size === 0) return;
    this.stopping.abort(new Error('the worker is stopping'));
    const handedBack = Promise.all([...this.consumed].map((name) => this.boss.offWork(name, { wait: true })));
    this.consumed.clear();
    await withinMs(handedBack, STOP_TIMEOUT_MS);
  }

  /** Sends in the caller's transaction, at its account's turn. */
  private async send(queue: string, sql: Sql, job: MeasureUploadJob, options: SendOptions): Promise<string | null> {
    return videoSpan(job.videoId, `send ${queue}`, { kind: SpanKind.PRODUCER }, async () => {
      const priority = await nextPriority(sql, queue, job.accountId);
      return this.boss.send(queue, { ...job }, { ...options, db: dbOf(sql), group: { id: job.accountId }, priority });
    });
  }

  private async live(jobs: LiveJobs, ids: readonly string[]): Promise<ReadonlySet<string>> {
    if (ids.length === 0) return new Set();
    const rows = await execute(this.sql, jobs, { ids });
    return new Set(rows.map(({ id }) => id));
  }

  /** One consumer: fetches, runs and settles one job at a time, until another one has replaced it. */
  private async work<Data>(
    name: string,
    handle: (job: Run<Data>) => Promise<void>,
    pollingIntervalSeconds = POLLING_INTERVAL_SECONDS,
  ): Promise<void> {
    let id = '';
    let isReplaced = false;
    const stopping = this.stopping.signal;
    const takeNext = (): void => {
      if (isReplaced || stopping.aborted) return;
      isReplaced = true;
      this.work(name, handle, pollingIntervalSeconds).catch((error: unknown) => {
        isReplaced = false;
        this.options.logger.warn({ scope: 'job', queue: name, err: error }, 'could not take another job');
      });
    };
    const run = async ([job]: Job<Data>[]): Promise<void> => {
      if (!job) return;
      const signal = AbortSignal.any([stopping, job.signal]);
      try {
        const run = { data: job.data, signal, stopping, takeNext };
        await inTrace(name, job, () => handle(run));
      } catch (error) {
        this.options.logger.warn({ scope: 'job', queue: name, job: job.id, err: error }, 'job handed back');
        throw error;
      } finally {
        if (isReplaced) void this.boss.offWork(name, { id, wait: false });
        // Without this, the next waiting job would wait for the next poll.
        else this.boss.notifyWorker(id);
      }
    };
    id = await this.boss.work<Data>(
      name,
      {
        pollingIntervalSeconds,
        notifyPollingIntervalSeconds: pollingIntervalSeconds,
        heartbeatRefreshSeconds: HEARTBEAT_REFRESH_SECONDS,
      },
      run,
    );
    this.consumed.add(name);
  }
}

/** Works on a job: in its video's trace, or in one of its own. */
function inTrace<T>(queue: string, { id, data }: Job<unknown>, work: () => T): T {
  const options = { kind: SpanKind.CONSUMER, attributes: { 'messaging.message.id': id } };
  const videoId = data !== null && typeof data === 'object' && 'videoId' in data ? String(data.videoId) : null;
  return videoId === null ? span(queue, options, work) : videoSpan(videoId, queue, options, work);
}

/** Wraps our connection as pg-boss expects one: its statements become part of the caller's transaction. */
function dbOf(sql: Sql): Db {
  return {
    executeSql: async (text, values) => ({ rows: await sql.query({ name: '', text }, values ?? []) }),
  };
}

async function withinMs(work: Promise<unknown>, limitMs: number): Promise<void> {
  const done = new AbortController();
  const late = delay(limitMs, undefined, { signal: done.signal }).catch(() => undefined);
  try {
    await Promise.race([work, late]);
  } finally {
    done.abort();
  }
}
