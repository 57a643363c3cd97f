import type { EncodeChunkJob, MeasureUploadJob, ProcessVideoJob } from './jobQueue.js';

/** One job that a worker has taken. */
export interface JobRun<Data> {
  readonly data: Data;
  /** Aborts when the worker stops, or when the queue has given the job to another worker. */
  readonly signal: AbortSignal;
  /** Aborts only when the worker stops. Defaults to `signal`. */
  readonly stopping?: AbortSignal;
}

/** A video that a worker has taken. */
export interface VideoRun extends JobRun<ProcessVideoJob> {
  /** Makes the worker fetch another video next to this one, which needs few resources or is nearly done. */
  readonly takeNext: () => void;
}

/** What a worker does with each kind of job. If a handler throws, the job is retried after a moment. */
export interface JobHandlers {
  measureUpload(job: JobRun<MeasureUploadJob>): Promise<void>;
  processVideo(job: VideoRun): Promise<void>;
  encodeChunk(job: JobRun<EncodeChunkJob>): Promise<void>;
  /** Runs about once a minute, on one worker of all. */
  sweep(job: JobRun<null>): Promise<void>;
  /** Runs every 15 minutes, on one worker of all. Nightly chores check by themselves whether their day has come. */
  night(job: JobRun<null>): Promise<void>;
}

export interface JobSourceOptions {
  /** How many videos this process fetches; each may make it fetch one more. */
  readonly concurrency: number;
}

/** Where a worker's jobs come from. */
export interface JobSource {
  consume(handlers: JobHandlers, options: JobSourceOptions): Promise<void>;
  /** Takes no new jobs, aborts running ones, and resolves when all have been handed back. */
  stopConsuming(): Promise<void>;
}
