import { NO_CAPTIONS } from '../domain/media/captions/sourceCaptions.js';
import { FencedError, type AttemptService, type Claim } from '../domain/media/pipeline/attempt.service.js';
import { isCuttableAsKept, type PassthroughPlan } from '../domain/media/pipeline/passthrough.js';
import type { ChunkService } from '../domain/media/pipeline/chunk.service.js';
import type { LeftoversService } from '../domain/media/pipeline/leftovers.service.js';
import type { Admission } from '../domain/media/pipeline/admission.js';
import type { MediaKeyService } from '../domain/media/keys/mediaKeys.service.js';
import type { Logger } from '../logger.js';
import type { ProcessVideoJob } from '../ports/jobQueue.js';
import type { JobRun } from '../ports/jobSource.js';
import type { ObjectStore } from '../ports/objectStore.js';
import { PassthroughUnfitError } from '../ports/packets.js';
import { EncodeFailedError, type Transcoder } from '../ports/transcoder.js';
import { cutOf, planVideo, type PlanSettings } from '../domain/media/pipeline/planVideo.js';
import { keepPackets } from './keepPackets.js';
import { failureOf, isInDoubt, technicalTailOf } from './failureOf.js';
import { StageMaker } from './makeStage.js';
import { NoSpaceError } from './noSpaceError.js';
import { ProgressReporter } from './progressReporter.js';
import { StageProgress } from './stageProgress.js';
import type { WorkFolders } from './workFolder.js';

export interface ProcessVideoDeps extends PlanSettings {
  readonly runAdmission?: Pick<Admission, 'reserveSpace'>;
  readonly attempts: AttemptService;
  readonly chunks: ChunkService;
  readonly leftovers: LeftoversService;
  readonly mediaKeys: MediaKeyService;
  readonly transcoder: Transcoder;
  readonly store: ObjectStore;
  readonly folders: WorkFolders;
  /** Called when nothing is left to encode. From then on, the job needs no slot and little memory. */
  readonly onEncoded?: () => void;
  /** Counts the run. */
  readonly onEnded?: (run: EndedRun) => void;
  readonly logger: Logger;
}

/** A run that is over. */
export interface EndedRun {
  /** `ready`, the code of the failure, or `retried` if another run follows. */
  readonly outcome: string;
  readonly seconds: number;
  readonly videoSeconds: number;
  /** Null for a test account. */
  readonly secondsSinceBought: number | null;
}

/**
 * Runs one job: claims the attempt; encodes, stores and publishes in stages; settles. After a crash, the next run
 * continues with what is missing.
 */
export async function processVideo(deps: ProcessVideoDeps, job: JobRun<ProcessVideoJob>): Promise<void> {
  using space = await deps.runAdmission?.reserveSpace(job.data);
  if (space === null) throw new NoSpaceError('what this run would write');
  // Check the store and the disk before the claim, so that an outage or this machine's problems do not count against
  // the video.
  await Promise.all([deps.store.check(), deps.folders.check()]);
  const claim = await deps.attempts.claim(job.data);
  if (!claim) return;
  const logger = deps.logger.child({ scope: 'video', videoId: claim.videoId, attempt: claim.attempt, run: claim.run });
  const startedAtMs = performance.now();
  const ended = (outcome: string): void => {
    const seconds = (performance.now() - startedAtMs) / 1000;
    const secondsSinceBought = claim.secondsSinceBought === null ? null : claim.secondsSinceBought + seconds;
    deps.onEnded?.({ outcome, seconds, videoSeconds: claim.probe.durationMs / 1000, secondsSinceBought });
  };
  try {
    await makeVideo({ ...deps, logger, onFetched: () => space?.fetched() }, claim, job.signal);
    logger.info({ quality: claim.quality }, 'video ready');
    ended('ready');
  } catch (error) {
    const { stopping = job.signal } = job;
    await settleFailure(deps, claim, error, { stopped: stopping.aborted, logger, ended });
  }
}

async function makeVideo(
  deps: ProcessVideoDeps & { onFetched: () => void },
  claim: Claim,
  stop: AbortSignal,
): Promise<void> {
  const { attempts, store, folders } = deps;
  const lost = new AbortController();
  const half = new AbortController();
  const signal = AbortSignal.any([stop, lost.signal, half.signal]);
  const onLost = (): void => lost.abort(new FencedError(`run ${claim.run} of attempt ${claim.attempt} is over`));
  const reporter = new ProgressReporter((progress) => attempts.report(claim, progress), onLost);
  const { probe, published, brand } = claim;
  const facts = { ...claim, isBranded: brand !== null };
  let hasPublished = false;
  /** Fails a test video at half of its encode, if its owner chose that. A short one may end before it reports half. */
  const failAtHalf = (): void =>
    half.abort(new EncodeFailedError('ENCODER_FAILED', 'Processing failed at 50%, as this test video asked for.'));
  const makeAll = async (sourcePath: string, kept: PassthroughPlan | null): Promise<void> => {
    let cuttable = isCuttableAsKept(kept, probe) ? Promise.resolve(true) : undefined;
    const canCut = (): Promise<boolean> => (cuttable ??= deps.transcoder.canCut({ sourcePath, probe, signal }));
    let plan = planVideo({ ...facts, kept }, deps);
    if (plan.missing === 'isCuttable') plan = planVideo({ ...facts, kept, isCuttable: await canCut() }, deps);
    const { stages } = plan;
    const maker = new StageMaker(deps, {
      claim,
      stages,
      canCut,
      sourcePath,
      folder: folders.pathOf(claim),
      progress: new StageProgress(stages, { ...plan, probe, published }),
      signal,
      report: (progress) => {
        if (claim.failsAtHalf && progress.percent >= 50) failAtHalf();
        else reporter.report(progress);
      },
      onEncoded: () => deps.onEncoded?.(),
      assertHeld: async (progress) => {
        if (claim.failsAtHalf) failAtHalf();
        else if (!(await reporter.reportNow(progress))) onLost();
        signal.throwIfAborted();
      },
    });
    let { boundaries } = claim;
    for (const [index, stage] of stages.entries()) {
      const ladder = await maker.make(index, cutOf(stage, kept, boundaries));
      if (claim.failsAtHalf) failAtHalf();
      half.signal.throwIfAborted();
      if (ladder === null) continue;
      boundaries = ladder.boundaries ?? boundaries;
      const isFirst = index === 0 && published.renditions.length === 0;
      const captions = isFirst ? await maker.captions() : NO_CAPTIONS;
      if (index < stages.length - 1) await attempts.publishRenditions(claim, ladder, captions);
      else {
        await reporter.stop();
        await attempts.finish(claim, ladder, captions);
      }
      hasPublished = true;
    }
  };
  try {
    const plan = planVideo(facts, deps);
    if (plan.stages.length === 0) return await attempts.finish(claim, null);
    await store.withLocalFile(claim.sourceKey, async (sourcePath) => {
      deps.onFetched();
      const kept = plan.missing === 'kept' ? await keepPackets(deps, plan, { probe, sourcePath, signal }) : null;
      try {
        await makeAll(sourcePath, kept);
      } catch (error) {
        if (half.signal.aborted) {
          await reporter.reportNow({ step: 'encoding', percent: 50, speed: null, etaSeconds: null });
          throw half.signal.reason;
        }
        if (!(error instanceof PassthroughUnfitError) || kept === null || hasPublished) throw error;
        deps.logger.info({ reason: error.technicalTail }, 'passthrough failed; encoding instead');
        await folders.remove(claim);
        await makeAll(sourcePath, null);
      }
    });
  } finally {
    await reporter.stop();
    await folders.remove(claim);
  }
}

/** Resolves the attempt or gives it back. Throws unless the job is done. */
async function settleFailure(
  { attempts, leftovers }: ProcessVideoDeps,
  claim: Claim,
  error: unknown,
  { stopped, logger, ended }: { stopped: boolean; logger: Logger; ended: (outcome: string) => void },
): Promise<void> {
  const failure = isInDoubt(error) && claim.faults === 0 ? null : failureOf(error);
  let held = !(error instanceof FencedError);
  if (held && failure && !stopped) {
    logger.info({ code: failure.code, tail: technicalTailOf(error) }, 'video failed');
    held = await attempts.fail(claim, failure);
    if (held) {
      ended(failure.code);
      return;
    }
  } else if (held) {
    // The database may be unavailable. Then the queue finds the job abandoned, and the next claim counts the fault.
    ended('retried');
    held = await attempts.giveBack(claim, { faulted: !stopped }).catch(() => true);
    if (held) throw error;
  }
  logger.warn('run refused: another worker has this attempt, or it is over');
  await leftovers.discardOutput(claim);
  // This worker must not complete the job: the run that replaced it may have lost the job since.
  throw error;
}
