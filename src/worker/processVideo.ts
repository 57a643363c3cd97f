import { join } from 'node:path';

import { prepareSourceTexts } from '../domain/captions/sourceTexts.js';
import { FencedError, type AttemptService, type Claim, type Failure } from '../domain/processing/attempt.service.js';
import { rungsFor } from '../domain/processing/ladder.js';
import type { LeftoversService } from '../domain/processing/leftovers.service.js';
import type { Admission } from '../domain/processing/admission.js';
import type { MediaKeyService } from '../domain/mediaKeys/mediaKeys.service.js';
import type { Logger } from '../logger.js';
import type { ProcessVideoJob } from '../ports/jobQueue.js';
import type { JobRun } from '../ports/jobSource.js';
import type { ObjectStore } from '../ports/objectStore.js';
import { EncodeFailedError, UnusableSourceError, type EncodedLadder, type Transcoder } from '../ports/transcoder.js';
import { EncryptedLadder } from './encryptedLadder.js';
import { ProgressReporter } from './progressReporter.js';
import { storeLadder } from './storeLadder.js';
import type { WorkFolders } from './workFolder.js';

export interface ProcessVideoDeps {
  readonly runAdmission?: Pick<Admission, 'hasRoomFor'>;
  readonly attempts: AttemptService;
  readonly leftovers: LeftoversService;
  readonly mediaKeys: MediaKeyService;
  readonly transcoder: Transcoder;
  readonly store: ObjectStore;
  readonly folders: WorkFolders;
  readonly logger: Logger;
}

/** How much of the bar the encode has; moving the files away has the rest. */
const ENCODE_SHARE = 0.97;

/** The disk is full: the job waits in the queue, unclaimed. */
class NoRoomError extends Error {
  override readonly name = 'NoRoomError';
}
const TEXTS_DIR = 'texts';

/** One job: claim, encode, store, publish and settle. Run again after any crash, it starts over or finds it done. */
export async function processVideo(deps: ProcessVideoDeps, job: JobRun<ProcessVideoJob>): Promise<void> {
  if (deps.runAdmission && !(await deps.runAdmission.hasRoomFor(job.data))) {
    throw new NoRoomError('there is no room for what this run would write');
  }
  const claim = await deps.attempts.claim(job.data);
  if (!claim) return;
  const logger = deps.logger.child({ scope: 'video', videoId: claim.videoId, attempt: claim.attempt, run: claim.run });
  try {
    await makeVideo({ ...deps, logger }, claim, job.signal);
    logger.info({ quality: claim.quality }, 'video ready');
  } catch (error) {
    await settleFailure(deps, claim, error, { stopped: job.signal.aborted, logger });
  }
}

async function makeVideo(deps: ProcessVideoDeps, claim: Claim, stop: AbortSignal): Promise<void> {
  const { attempts, transcoder, store, folders, logger } = deps;
  const lost = new AbortController();
  const signal = AbortSignal.any([stop, lost.signal]);
  const onLost = (): void => lost.abort(new FencedError(`run ${claim.run} of attempt ${claim.attempt} is over`));
  const reporter = new ProgressReporter((progress) => attempts.report(claim, progress), onLost);
  const outputDir = folders.pathOf(claim);
  try {
    const { probe } = claim;
    const { ladder, subtitles } = await store.withLocalFile(claim.sourceKey, async (sourcePath) => ({
      ladder: await transcoder.encode({
        sourcePath,
        probe,
        rungs: rungsFor(claim.quality, probe),
        outputDir,
        signal,
        onProgress: (progress) => reporter.report({ ...progress, percent: progress.percent * ENCODE_SHARE }),
      }),
      subtitles: await transcoder.subtitles({ sourcePath, probe, outputDir: join(outputDir, TEXTS_DIR), signal }),
    }));
    const storing = { step: 'storing', percent: 100 * ENCODE_SHARE, speed: null, etaSeconds: null };
    // Asked before the first write: a worker that slept through its encode learns here that it lost its claim.
    if (!(await attempts.report(claim, storing))) onLost();
    const encrypted = claim.encryption ? await encryptLadder(deps, claim, ladder, signal) : null;
    await storeLadder(store, outputDir, claim.outputPrefix, ladder, {
      signal,
      ...(encrypted && { put: (path: string) => encrypted.put(path) }),
      onStored: (share) => reporter.report({ ...storing, percent: 100 * (ENCODE_SHARE + (1 - ENCODE_SHARE) * share) }),
    });
    await reporter.stop();
    const { chapters = [], durationMs } = probe;
    const texts = prepareSourceTexts({ subtitles, chapters, durationMs }, (error) =>
      logger.info({ err: error }, 'a track of subtitles was left out'),
    );
    await attempts.publish(claim, encrypted?.measured() ?? ladder, texts);
  } finally {
    await reporter.stop();
    await folders.remove(claim);
  }
}

/** With keys that are kept before the first segment is. @throws FencedError */
async function encryptLadder(
  { store, folders, mediaKeys }: ProcessVideoDeps,
  claim: Claim,
  ladder: EncodedLadder,
  signal: AbortSignal,
): Promise<EncryptedLadder> {
  const segments = Math.max(...ladder.rungs.map(({ segmentPaths }) => segmentPaths.length));
  const keys = await mediaKeys.create(claim, segments);
  const outputDir = folders.pathOf(claim);
  return new EncryptedLadder({ store, outputDir, prefix: claim.outputPrefix, ladder, keys, signal });
}

/** Resolves the attempt or gives it back; throws unless the job is done with. */
async function settleFailure(
  { attempts, leftovers }: ProcessVideoDeps,
  claim: Claim,
  error: unknown,
  { stopped, logger }: { stopped: boolean; logger: Logger },
): Promise<void> {
  const failure = failureOf(error);
  let held = !(error instanceof FencedError);
  if (held && failure && !stopped) {
    logger.info({ code: failure.code, tail: technicalTailOf(error) }, 'video failed');
    held = await attempts.fail(claim, failure);
    if (held) return;
  } else if (held) {
    // The database may be what is missing; then the queue finds the job abandoned, and the next claim counts the fault.
    held = await attempts.giveBack(claim, { faulted: !stopped }).catch(() => true);
    if (held) throw error;
  }
  logger.warn('run refused: another worker has this attempt, or it is over');
  await leftovers.discardOutput(claim);
  // Not for this worker to call the job done: whoever fenced it off may have lost the job since.
  throw error;
}

/** Where trying again would give the same; null where it may help, because the fault is ours. */
function failureOf(error: unknown): Failure | null {
  if (error instanceof UnusableSourceError) return { code: 'UNUSABLE_SOURCE', message: error.message };
  if (error instanceof EncodeFailedError && error.code !== 'OUT_OF_DISK') {
    return { code: error.code === 'ENCODER_FAILED' ? 'PROCESSING_FAILED' : error.code, message: error.message };
  }
  return null;
}

function technicalTailOf(error: unknown): string {
  return error instanceof UnusableSourceError || error instanceof EncodeFailedError ? error.technicalTail : '';
}
