import type { Sql } from '../db/sql.js';

/** Identifies one attempt at processing one video. */
export interface ProcessVideoJob {
  readonly accountId: string;
  readonly videoId: string;
  readonly attempt: number;
}

/** Enqueues in the caller's transaction: the job exists exactly when the transaction commits. */
export interface JobQueue {
  /** Returns the job's id. */
  enqueueProcessVideo(sql: Sql, job: ProcessVideoJob): Promise<string>;
  enqueueMeasureUpload(sql: Sql, job: { accountId: string; videoId: string }): Promise<string>;
  /** Best effort: a job that already runs finds out by its fence. */
  cancelProcessVideo(sql: Sql, jobId: string): Promise<void>;
}
