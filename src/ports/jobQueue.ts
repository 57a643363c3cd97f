import type { Sql } from '../db/sql.js';

/** Identifies one attempt at processing one video. */
export interface ProcessVideoJob {
  readonly accountId: string;
  readonly videoId: string;
  readonly attempt: number;
}

/** Invites other workers to help with a run of an attempt. */
export interface EncodeChunkJob extends ProcessVideoJob {
  readonly run: number;
}

/** Asks for a finished upload to be probed. */
export interface MeasureUploadJob {
  readonly accountId: string;
  readonly videoId: string;
}

/**
 * Enqueues in the caller's transaction, so the job exists exactly if the transaction commits. Accounts take turns:
 * however many jobs one account has waiting, another account's next job waits only for running jobs and perhaps one job
 * of each account.
 */
export interface JobQueue {
  /** Returns the job's id. No worker takes it before `afterSeconds`. */
  enqueueProcessVideo(sql: Sql, job: ProcessVideoJob, options?: { readonly afterSeconds?: number }): Promise<string>;
  /** At most one live job per video: enqueuing again while one waits or runs adds none. */
  enqueueMeasureUpload(sql: Sql, job: MeasureUploadJob): Promise<void>;
  /** Optional help: a worker that takes it too late finds nothing left to do. */
  enqueueEncodeChunk(sql: Sql, job: EncodeChunkJob): Promise<void>;
  /** Those of the given processing jobs that wait for their time may start `seconds` sooner. */
  hastenProcessVideo(sql: Sql, jobIds: readonly string[], seconds: number): Promise<void>;
  /** Best effort: a job that already runs is stopped by fencing. */
  cancelProcessVideo(sql: Sql, jobId: string): Promise<void>;
  /** Those of the given processing jobs that wait, run, or will be retried. */
  liveProcessVideoJobs(jobIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Those of the given videos whose measuring job waits, runs, or will be retried. */
  liveMeasureUploadVideos(videoIds: readonly string[]): Promise<ReadonlySet<string>>;
}

/** One kind of job, in all processes. */
export interface JobBacklog {
  readonly kind: string;
  readonly waiting: number;
  readonly active: number;
  /** How long the oldest job that can run has waited. */
  readonly oldestSeconds: number;
}

/** Looks at the queue from outside. */
export interface QueueWatch {
  /** By kind, also those of which no job is left. */
  backlog(): Promise<JobBacklog[]>;
  /** How many jobs the queue gave up in the last 24 hours, by kind; kinds without any are left out. */
  failures(): Promise<ReadonlyMap<string, number>>;
}
