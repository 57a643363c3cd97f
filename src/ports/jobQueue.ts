import type { Sql } from '../db/sql.js';

/** Identifies one attempt at processing one video. */
export interface ProcessVideoJob {
  readonly accountId: string;
  readonly videoId: string;
  readonly attempt: number;
}

/** Invites to help with a run of an attempt. */
export interface EncodeChunkJob extends ProcessVideoJob {
  readonly run: number;
}

/** Asks for a finished upload to be measured. */
export interface MeasureUploadJob {
  readonly accountId: string;
  readonly videoId: string;
}

/**
 * Enqueues in the caller's transaction: the job exists exactly when the transaction commits. Accounts take turns: however
 * many jobs one of them has waiting, the next one of another comes after those that run, and perhaps one of each account.
 */
export interface JobQueue {
  /** Returns the job's id. */
  enqueueProcessVideo(sql: Sql, job: ProcessVideoJob): Promise<string>;
  /** One live job per video: asking again while one waits or runs adds none. */
  enqueueMeasureUpload(sql: Sql, job: MeasureUploadJob): Promise<void>;
  /** Nothing depends on it: who comes too late finds nothing left to do. */
  enqueueEncodeChunk(sql: Sql, job: EncodeChunkJob): Promise<void>;
  /** Best effort: a job that already runs finds out by its fence. */
  cancelProcessVideo(sql: Sql, jobId: string): Promise<void>;
  /** Those of the given processing jobs that wait, run, or will be tried again. */
  liveProcessVideoJobs(jobIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Those of the given videos that a measuring job waits for, runs for, or will be tried again for. */
  liveMeasureUploadVideos(videoIds: readonly string[]): Promise<ReadonlySet<string>>;
}
