import type { AttemptService } from '../domain/processing/attempt.service.js';
import type { LeftoversService } from '../domain/processing/leftovers.service.js';
import type { MeasureService } from '../domain/processing/measure.service.js';
import type { ProcessingService } from '../domain/processing/processing.service.js';
import type { UploadService } from '../domain/videos/uploads.js';
import type { Logger } from '../logger.js';
import type { JobSource } from '../ports/jobSource.js';
import type { ObjectStore } from '../ports/objectStore.js';
import type { Transcoder } from '../ports/transcoder.js';
import { measureUpload } from './measureUpload.js';
import { processVideo } from './processVideo.js';
import { sweep } from './sweep.js';
import { WorkFolders } from './workFolder.js';

export interface WorkerDeps {
  readonly jobs: JobSource;
  readonly attempts: AttemptService;
  readonly leftovers: LeftoversService;
  readonly measures: MeasureService;
  readonly processing: ProcessingService;
  readonly uploads: Pick<UploadService, 'recoverUploads' | 'expireUploads'>;
  readonly transcoder: Transcoder;
  readonly store: ObjectStore;
  readonly logger: Logger;
  /** Absolute. Ideally on the store's file system, where moving is renaming. */
  readonly workDir: string;
  /** Films this process encodes at once. */
  readonly concurrency: number;
  /** Films of one account encoded at once, over all workers. Default 2. */
  readonly perAccount?: number;
}

export interface Worker {
  start(): Promise<void>;
  /** Aborts what runs and hands it back to the queue; under ten seconds. */
  stop(): Promise<void>;
}

export function createWorker(deps: WorkerDeps): Worker {
  const { jobs, logger, concurrency, perAccount = 2 } = deps;
  const folders = new WorkFolders(deps.workDir);
  return {
    async start() {
      await folders.open();
      await jobs.consume(
        {
          measureUpload: (job) => measureUpload(deps, job),
          processVideo: (job) => processVideo({ ...deps, folders }, job),
          sweep: (job) => sweep({ ...deps, folders }, job.signal),
        },
        { concurrency, perAccount },
      );
      logger.info({ scope: 'job', concurrency }, 'worker started');
    },
    async stop() {
      await jobs.stopConsuming();
    },
  };
}
