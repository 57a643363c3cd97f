import type { EncodeChunkJob, MeasureUploadJob, ProcessVideoJob } from './jobQueue.js';

/** One job in a worker's hands. */
export interface JobRun<Data> {
  readonly data: Data;
  /** Aborts when the worker stops, or when the queue has given the job to somebody else. */
  readonly signal: AbortSignal;
  /** Aborts when the worker stops, and for no other reason; `signal` where left out. */
  readonly stopping?: AbortSignal;
}

/** A video in a worker's hands. */
export interface VideoRun extends JobRun<ProcessVideoJob> {
  /** Has the worker fetch another video beside this one, which needs little, or next to nothing any more. */
  readonly takeNext: () => void;
}

/** What a worker does with each kind of job. Throwing gives the job back, to be tried again after a moment. */
export interface JobHandlers {
  measureUpload(job: JobRun<MeasureUploadJob>): Promise<void>;
  processVideo(job: VideoRun): Promise<void>;
  encodeChunk(job: JobRun<EncodeChunkJob>): Promise<void>;
  /** Comes by itself about once a minute, to one worker of all. */
  sweep(job: JobRun<null>): Promise<void>;
  /** Comes by itself every quarter of an hour, to one worker of all: what is done once a day finds its day itself. */
  night(job: JobRun<null>): Promise<void>;
}

export interface JobSourceOptions {
  /** Videos this process fetches by itself; each may let it fetch one more. */
  readonly concurrency: number;
}

/** Where a worker's jobs come from. */
export interface JobSource {
  consume(handlers: JobHandlers, options: JobSourceOptions): Promise<void>;
  /** Takes no more, aborts what runs, and resolves when everything has been handed back. */
  stopConsuming(): Promise<void>;
}
