import { availableParallelism } from 'node:os';

import type { MediaKeyService } from '../domain/media/keys/mediaKeys.service.js';
import type { Admission } from '../domain/media/pipeline/admission.js';
import type { AttemptService } from '../domain/media/pipeline/attempt.service.js';
import type { ChunkService } from '../domain/media/pipeline/chunk.service.js';
import type { LeftoversService } from '../domain/media/pipeline/leftovers.service.js';
import type { MeasureService } from '../domain/media/pipeline/measure.service.js';
import type { ProcessingService } from '../domain/media/pipeline/processing.service.js';
import type { UploadService } from '../domain/media/uploads/uploads.js';
import type { Logger } from '../logger.js';
import type { ProcessVideoJob } from '../ports/jobQueue.js';
import type { JobRun, JobSource } from '../ports/jobSource.js';
import type { ObjectStore } from '../ports/objectStore.js';
import type { Transcoder } from '../ports/transcoder.js';
import type { ChunkSettings } from '../domain/media/pipeline/chunkPlan.js';
import { doChores, type Chore } from './chores.js';
import { measureUpload } from './measureUpload.js';
import { encodeChunk } from './encodeChunk.js';
import { type EndedRun, processVideo } from './processVideo.js';
import { Scheduler } from './scheduler/scheduler.js';
import { ownChores, sweepChores } from './sweep.js';
import { withWholeSource } from './wholeSource.js';
import { WorkFolders } from './workFolder.js';

export interface WorkerDeps extends ChunkSettings {
  readonly jobs: JobSource;
  /** Keeps runs from starting on a full disk. Without it, they start anyway. */
  readonly runAdmission?: Admission;
  readonly attempts: AttemptService;
  readonly chunks: ChunkService;
  readonly leftovers: LeftoversService;
  readonly measures: MeasureService;
  readonly mediaKeys: MediaKeyService;
  readonly processing: ProcessingService;
  readonly uploads: Pick<UploadService, 'recoverUploads' | 'expireUploads'>;
  readonly transcoder: Transcoder;
  readonly store: ObjectStore;
  /** Further chores of every minute and of every night. */
  readonly minuteChores?: readonly Chore[];
  readonly nightChores?: readonly Chore[];
  /** Counts runs that are over. */
  readonly onEnded?: (run: EndedRun) => void;
  readonly logger: Logger;
  /** Absolute path. Best on the store's file system, where moving a file is a rename. */
  readonly workDir: string;
  /**
   * How many videos, and chunks of other workers' videos, this process encodes at once. One small video beside each
   * comes on top.
   */
  readonly concurrency: number;
  /** Memory budget for all of them, compared with estimates. Without it, memory is not checked. */
  readonly memoryBytes?: number;
  /** See {@link EARLY_PLAY_FROM_SECONDS}. */
  readonly earlyPlayFromSeconds?: number;
  /** See {@link SMALL_VIDEO_PIXELS}. */
  readonly smallVideoPixels?: number;
  /** How often this process sweeps its own folders; defaults to SWEEP_OWN_EVERY_MS. */
  readonly sweepOwnEveryMs?: number;
}

const SWEEP_OWN_EVERY_MS = 10 * 60_000;

export interface Worker {
  start(): Promise<void>;
  /** Aborts running jobs and returns them to the queue, in less than ten seconds. */
  stop(): Promise<void>;
}

export function createWorker(given: WorkerDeps): Worker {
  const deps = { ...given, transcoder: withWholeSource(given.transcoder) };
  const { jobs, logger, concurrency, minuteChores = [], nightChores = [] } = deps;
  const folders = new WorkFolders(deps.workDir);
  const scheduler = new Scheduler({
    concurrency,
    budgetBytes: deps.memoryBytes ?? Number.POSITIVE_INFINITY,
    cores: availableParallelism(),
    smallVideoPixels: deps.smallVideoPixels,
  });
  const makingOf = (job: JobRun<ProcessVideoJob>) => () => deps.attempts.making(job.data);
  const everyMinute = [...minuteChores, ...sweepChores({ ...deps, folders })];
  let stopped = new AbortController();
  let sweeping = Promise.resolve();
  const sweepOwn = (): void => {
    sweeping = sweeping.then(() => doChores(ownChores({ ...deps, folders }), stopped.signal, logger));
  };
  let timer: NodeJS.Timeout | undefined;
  return {
    async start() {
      await folders.open();
      stopped = new AbortController();
      // Only one worker, on any machine, runs the per-minute sweep, so every worker sweeps its own folders.
      timer = setInterval(sweepOwn, deps.sweepOwnEveryMs ?? SWEEP_OWN_EVERY_MS).unref();
      await jobs.consume(
        {
          measureUpload: (job) => measureUpload(deps, job),
          processVideo: (job) =>
            scheduler.video(job, makingOf(job), (onEncoded) => processVideo({ ...deps, folders, onEncoded }, job)),
          encodeChunk: (job) =>
            scheduler.chunk(job, makingOf(job), (videoWaits) => encodeChunk({ ...deps, folders }, job, videoWaits)),
          sweep: (job) => doChores(everyMinute, job.signal, logger),
          night: (job) => doChores(nightChores, job.signal, logger),
        },
        { concurrency },
      );
      logger.info({ scope: 'job', concurrency }, 'worker started');
    },
    async stop() {
      stopped.abort();
      clearInterval(timer);
      await Promise.all([jobs.stopConsuming(), sweeping]);
    },
  };
}
