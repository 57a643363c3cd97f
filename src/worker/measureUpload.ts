import type { Admission } from '../domain/media/pipeline/admission.js';
import type { MeasureService } from '../domain/media/pipeline/measure.service.js';
import type { ProcessingService } from '../domain/media/pipeline/processing.service.js';
import { TEST_VIDEO_LIMITS } from '../domain/media/testMode/testVideoLimits.js';
import { AppError } from '../errors.js';
import type { Logger } from '../logger.js';
import type { MeasureUploadJob } from '../ports/jobQueue.js';
import type { JobRun } from '../ports/jobSource.js';
import type { ObjectStore } from '../ports/objectStore.js';
import {
  type SourceProbe,
  TranscoderUnavailableError,
  UnusableSourceError,
  type Transcoder,
} from '../ports/transcoder.js';
import { NoSpaceError } from './noSpaceError.js';

export interface MeasureUploadDeps {
  readonly runAdmission?: Pick<Admission, 'reserveSpaceToMeasure'>;
  readonly measures: MeasureService;
  readonly processing: ProcessingService;
  readonly transcoder: Transcoder;
  readonly store: ObjectStore;
  readonly logger: Logger;
}

/** Runs one job: probes the upload, and buys its processing if its owner asked for that in advance. */
export async function measureUpload(deps: MeasureUploadDeps, job: JobRun<MeasureUploadJob>): Promise<void> {
  using space = await deps.runAdmission?.reserveSpaceToMeasure(job.data);
  if (space === null) throw new NoSpaceError('a copy of this upload');
  await deps.store.check();
  const logger = deps.logger.child({ scope: 'video', videoId: job.data.videoId });
  const usable = await measure(deps, job, logger);
  if (usable) await processAsChosen(deps, job.data, logger);
}

/** @returns false if the file was refused. */
async function measure(
  { measures, transcoder, store }: MeasureUploadDeps,
  { data, signal }: JobRun<MeasureUploadJob>,
  logger: Logger,
): Promise<boolean> {
  const source = await measures.begin(data);
  // It may have been measured before a crash; then the next step is still to do.
  if (!source) return true;
  let isAsked = false;
  try {
    const probe = await store.withLocalFile(source.sourceKey, (path) => {
      isAsked = true;
      return transcoder.probe(path, { signal });
    });
    if (source.isTest) assertShort(probe);
    await measures.measured(data, source, probe);
    return true;
  } catch (error) {
    const isGone = error instanceof AppError && error.code === 'NOT_FOUND';
    const isOurs = (!isAsked && !isGone) || error instanceof TranscoderUnavailableError || signal.aborted;
    // The failure may be the database's own, so ignore errors here.
    if (isOurs) await measures.uncount(data, source).catch(() => undefined);
    const isBelieved = error instanceof UnusableSourceError && (!error.inDoubt || source.isTriedForMinutes);
    if (isOurs || !isBelieved) throw error;
    logger.info({ code: error.code, tail: error.technicalTail }, 'upload refused');
    await measures.refuse(data, source, error);
    return false;
  }
}

function assertShort({ durationMs }: SourceProbe): void {
  const { seconds } = TEST_VIDEO_LIMITS;
  if (durationMs <= seconds * 1000) return;
  throw new UnusableSourceError(
    'TOO_LONG',
    `A test video has at most ${seconds} seconds. Please upload a shorter one.`,
  );
}

/** A refusal, for example for lack of credits, leaves the video for its owner to process. */
async function processAsChosen(
  { processing }: MeasureUploadDeps,
  { accountId, videoId }: MeasureUploadJob,
  logger: Logger,
): Promise<void> {
  try {
    await processing.processAsChosen(accountId, videoId);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    logger.info({ code: error.code }, 'not processed automatically');
  }
}
