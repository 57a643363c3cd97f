import { randomBytes } from 'node:crypto';

import { type Database, execute, type Sql } from '../../../db/sql.js';
import type { Brand } from '../../../ports/brand.js';
import type { ProcessVideoJob } from '../../../ports/jobQueue.js';
import { RENDITION_QUALITIES } from '../../../ports/transcoder.js';
import type {
  EncodedLadder,
  EncodeProgress,
  Quality,
  RenditionQuality,
  SourceProbe,
} from '../../../ports/transcoder.js';
import { brandOfAttempt } from '../branding/purchasedBrand.js';
import { takeSourceCaptions } from '../captions/caption.service.js';
import { NO_CAPTIONS, type SourceCaptions } from '../captions/sourceCaptions.js';
import { notifyWallet } from '../../ledger/wallet.service.js';
import { TEST_MARK } from '../testMode/testMark.js';
import { makingOf, type Making } from './admission.js';
import { FAIL_VIDEO, INSERT_RENDITION, PUBLISH_VIDEO, READY_VIDEO, START_VIDEO } from '../library/videoState.sql.js';
import { INSERT_STORED_OBJECT } from '../objects/storedObject.sql.js';
import * as statements from './attempt.sql.js';
import type { MeasuredRendition } from './dominated.js';
import {
  outputPrefixOf,
  posterPathOf,
  previewPathOf,
  publishedObjects,
  renditionRow,
  trickPlayOf,
} from './publication.js';
import { deliveredOf, resolveEscrow, type Delivered } from './settlement.js';
import { soundTracks } from './soundTracks.js';

/** A run of an attempt that this worker holds, until another worker claims it or the attempt is resolved. */
export interface Claim extends ProcessVideoJob {
  /** The fencing number: every claim of an attempt gets a higher one. */
  readonly run: number;
  /** How many earlier runs were lost or failed. */
  readonly faults: number;
  /** When it was claimed. Null for a test account, whose clock its owner moves. */
  readonly secondsSinceBought: number | null;
  readonly quality: Quality;
  readonly priceMicros: bigint;
  readonly sourceKey: string;
  readonly probe: SourceProbe;
  /** Whether segments are stored encrypted. */
  readonly encryption: boolean;
  /** Whether loudness is normalized. */
  readonly normalizeLoudness: boolean;
  /** The branding as it was at purchase, or the mark of a test video. With branding, nothing is passed through. */
  readonly brand: Brand | null;
  /** Its owner asked for a failure, in test mode. */
  readonly failsAtHalf: boolean;
  /** Only this run writes here. Ends with a slash. */
  readonly outputPrefix: string;
  /**
   * Segment boundaries of all renditions in milliseconds, set once a passthrough rendition is published; null for
   * segments of constant length.
   */
  readonly boundaries: readonly number[] | null;
  /** What earlier runs of the attempt published. It plays and is not made again. */
  readonly published: Published;
  /** What those cost, so that the rest of the ladder is compared with them. */
  readonly publishedBitrates: readonly MeasuredRendition[];
}

export interface Published {
  readonly renditions: readonly RenditionQuality[];
  /** Whether poster and storyboard exist, if the video can have them. */
  readonly pictures: boolean;
}

/** A reason that people understand, with a stable code. */
export interface Failure {
  readonly code: string;
  readonly message: string;
}

/** The worker no longer holds its claim: another worker has it, or the attempt was resolved. Nothing was changed. */
export class FencedError extends Error {
  override readonly name = 'FencedError';
}

/**
 * How many runs may be lost, or fail because of the service. Faults count once in ten minutes, so an outage ends no
 * video.
 */
export const MAX_FAULTS = 5;

const BEST_FIRST = RENDITION_QUALITIES.toReversed();

/**
 * A purchase after it was enqueued. An attempt is resolved exactly once: every way to end it is one transaction that
 * changes video, attempt and escrow together, and a worker that lost its claim is refused.
 */
export class AttemptService {
  constructor(private readonly db: Database) {}

  /** What the attempt makes, before it is claimed; null if it is over. */
  making(job: ProcessVideoJob): Promise<Making | null> {
    return makingOf(this.db.sql, job);
  }

  /** Claims the attempt and fences off the worker that had it. Returns `null` if nothing is left to do. */
  claim(job: ProcessVideoJob): Promise<Claim | null> {
    return this.db.transaction(async ({ sql }) => {
      const [video] = await execute(sql, START_VIDEO, job);
      if (!video) return null;
      const [held] = await execute(sql, statements.CLAIM, job);
      if (!held) return null;
      if (held.faults > MAX_FAULTS) {
        await endAttempt(sql, job, held.run, null);
        return null;
      }
      const outputPrefix = outputPrefixOf(job, held.run);
      await execute(sql, statements.DOOM_EARLIER_OUTPUTS, { ...job, run: held.run });
      await execute(sql, statements.INSERT_OUTPUT, { ...job, run: held.run, prefix: outputPrefix });
      return {
        ...job,
        run: held.run,
        faults: held.faults,
        secondsSinceBought: video.is_test ? null : held.seconds_since_bought,
        quality: held.quality,
        priceMicros: BigInt(held.price_micros),
        sourceKey: video.source_key,
        probe: video.source_probe,
        encryption: video.encryption,
        normalizeLoudness: video.normalize_loudness,
        brand: video.is_test ? markOf(held.quality) : await brandOfAttempt(sql, job),
        failsAtHalf: video.test_fault === 'ENCODE_FAILS_AT_HALF',
        outputPrefix,
        boundaries: held.boundaries,
        published: { renditions: video.playable_rungs, pictures: video.has_pictures },
        publishedBitrates: video.playable_bitrates,
      };
    });
  }

  /** @returns false if the claim is lost: stop working */
  async report(claim: Claim, progress: Omit<EncodeProgress, 'step'> & { step: string }): Promise<boolean> {
    const { step, percent, speed, etaSeconds } = progress;
    const rows = await execute(this.db.sql, statements.REPORT_PROGRESS, {
      ...claim,
      step,
      percent,
      speed,
      etaSeconds: etaSeconds === null ? null : Math.round(etaSeconds),
    });
    return rows.length > 0;
  }

  /**
   * Publishes a finished stage of the ladder, stored under the claim's prefix, so that it plays while the rest is made.
   * What plays once is never withdrawn.
   *
   * @param captions imported with the first stage
   * @throws FencedError; nothing is published then
   */
  publishRenditions(claim: Claim, ladder: EncodedLadder, captions: SourceCaptions = NO_CAPTIONS): Promise<void> {
    return this.db.transaction(({ sql }) => publish(sql, claim, ladder, captions));
  }

  /**
   * Publishes the last stage and settles the escrow for what was delivered: never more than was locked, and the rest is
   * returned. The ladder is `null` if earlier runs published everything.
   *
   * @throws FencedError; nothing is published or charged then
   */
  finish(claim: Claim, ladder: EncodedLadder | null, captions: SourceCaptions = NO_CAPTIONS): Promise<void> {
    return this.db.transaction(async ({ sql }) => {
      await execute(sql, statements.LOCK_VIDEO, claim);
      if (ladder) await publish(sql, claim, ladder, captions);
      const [succeeded] = await execute(sql, statements.SUCCEED, claim);
      const [ready] = await execute(sql, READY_VIDEO, { ...claim, code: null, message: null });
      if (!succeeded || !ready) throw fenced(claim);
      await resolveEscrow(sql, claim, await deliveredOf(sql, claim));
    });
  }

  /**
   * Returns the attempt to the queue. With `faulted` it counts against the attempt, once in ten minutes; a worker that
   * shuts down sets false.
   *
   * @returns false if the claim was already lost
   */
  async giveBack(claim: Claim, { faulted }: { faulted: boolean }): Promise<boolean> {
    const rows = await execute(this.db.sql, statements.GIVE_BACK, { ...claim, faulted });
    return rows.length > 0;
  }

  /**
   * Ends the attempt for good. If some renditions play, they stay and are charged, with the reason why there are no
   * more. Otherwise the video has failed, without a charge.
   *
   * @returns false if the claim was already lost
   */
  fail(claim: Claim, failure: Failure): Promise<boolean> {
    return this.db.transaction(({ sql }) => endAttempt(sql, claim, claim.run, failure));
  }

  /** Whether this run still holds the attempt. */
  async isHeld(run: ProcessVideoJob & { run: number }): Promise<boolean> {
    const rows = await execute(this.db.sql, statements.IS_HELD, run);
    return rows.length > 0;
  }

  /** Ends an attempt whose job is gone from the queue, like `fail`. @returns false if it was already resolved */
  abandon(job: ProcessVideoJob): Promise<boolean> {
    return this.db.transaction(({ sql }) => endAttempt(sql, job, null, null));
  }

  /**
   * Resolves an escrow whose attempt is over or never existed: charges what plays, or returns everything.
   *
   * @returns false if it was already resolved
   */
  releaseOrphan(job: ProcessVideoJob): Promise<boolean> {
    return this.db.transaction(async ({ sql }) => {
      await execute(sql, statements.LOCK_VIDEO, { accountId: job.accountId, videoId: job.videoId });
      const resolved = await resolveEscrow(sql, job, await deliveredOf(sql, job));
      if (resolved) await notifyWallet(sql, job.accountId);
      return resolved;
    });
  }
}

/** Sound alone has no picture to mark. */
function markOf(quality: Quality): Brand | null {
  return quality === 'audio' ? null : TEST_MARK;
}

/** Locks in the same order as every transaction: video, attempt. */
async function publish(sql: Sql, claim: Claim, ladder: EncodedLadder, captions: SourceCaptions): Promise<void> {
  const { accountId, videoId, attempt, outputPrefix } = claim;
  const posterPath = ladder.posterPath && posterPathOf(claim, randomBytes(16).toString('base64url'));
  const storyboardPath = ladder.storyboard?.indexPath ?? null;
  const [published] = await execute(sql, PUBLISH_VIDEO, {
    accountId,
    videoId,
    attempt,
    renditions: ladder.renditions.map((rendition) => rendition.quality),
    bestFirst: BEST_FIRST,
    picturesPrefix: posterPath === null && storyboardPath === null ? null : outputPrefix,
    posterPath,
    storyboardPath,
    trickPlay: trickPlayOf(ladder),
    previewPath: posterPath && ladder.storyboard?.previewPath ? previewPathOf(posterPath) : null,
    isFirst: claim.published.renditions.length === 0,
  });
  const [held] = await execute(sql, statements.HOLD, claim);
  if (!published || !held) throw fenced(claim);
  if (ladder.boundaries)
    await execute(sql, statements.KEEP_BOUNDARIES, { ...claim, boundaries: JSON.stringify(ladder.boundaries) });

  const source = { sounds: soundTracks(claim.probe), durationMs: claim.probe.durationMs };
  for (const rendition of ladder.renditions) {
    const row = renditionRow(rendition, outputPrefix, source);
    await execute(sql, INSERT_RENDITION, { accountId, videoId, ...row });
  }
  for (const object of publishedObjects(claim, ladder)) {
    await execute(sql, INSERT_STORED_OBJECT, { accountId, videoId, key: object.key, sizeBytes: object.sizeBytes });
  }
  await takeSourceCaptions(sql, claim, captions);
}

/**
 * Ends the attempt for good, keeping what plays. Locks in the same order as every transaction: video, attempt, escrow.
 *
 * @param failure `null` if the service was at fault
 */
async function endAttempt(
  sql: Sql,
  job: ProcessVideoJob,
  run: number | null,
  failure: Failure | null,
): Promise<boolean> {
  const { accountId, videoId, attempt } = job;
  await execute(sql, statements.LOCK_VIDEO, { accountId, videoId });
  const delivered = await deliveredOf(sql, job);
  const { code, message } = reasonOf(failure, delivered);
  const [ended] = await execute(sql, statements.FAIL, {
    accountId,
    videoId,
    attempt,
    run,
    code,
    message,
    isDelivered: delivered !== null,
  });
  if (!ended) return false;
  await execute(sql, delivered ? READY_VIDEO : FAIL_VIDEO, { ...job, code, message });
  await execute(sql, statements.DOOM_OUTPUTS, { accountId, videoId });
  await resolveEscrow(sql, job, delivered);
  return true;
}

/** The reason that the owner reads: what went wrong, and what they paid for. */
function reasonOf(failure: Failure | null, delivered: Delivered | null): Failure {
  const { code, message } = failure ?? { code: 'PROCESSING_FAILED', message: 'Processing kept failing on our side.' };
  if (delivered) return { code, message: `${message} ${chargeOf(delivered)}` };
  return failure ?? { code, message: `${message} You were not charged; please try again.` };
}

/** Light pictures are free: what is charged is what was made of what is for sale. */
function chargeOf({ best, charged }: Delivered): string {
  if (charged === null) return `Only ${best} was made; you were not charged.`;
  if (charged === best) return `Only ${best} was made and charged.`;
  return `Only ${best} was made; you were charged for ${charged}.`;
}

function fenced({ run, attempt }: Claim): FencedError {
  return new FencedError(`run ${run} of attempt ${attempt} is over`);
}
