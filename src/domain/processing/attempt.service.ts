import { randomBytes } from 'node:crypto';

import type { Database, Sql } from '../../db/sql.js';
import type { ProcessVideoJob } from '../../ports/jobQueue.js';
import type { EncodedLadder, EncodeProgress, Quality, SourceProbe } from '../../ports/transcoder.js';
import { takeSourceTexts } from '../captions/caption.service.js';
import type { SourceTexts } from '../captions/sourceTexts.js';
import { releaseEscrow, settleEscrow } from '../wallet/escrow.js';
import { notifyWallet } from '../wallet/wallet.service.js';
import * as statements from './attempt.statements.js';
import { outputPrefixOf, posterPathOf, previewPathOf, publishedObjects, renditionRow } from './publication.js';
import { priceOf } from './prices.js';

/** A run of an attempt that this worker holds, until another claims it or the attempt is resolved. */
export interface Claim extends ProcessVideoJob {
  /** The fence: every claim of an attempt has a higher one. */
  readonly run: number;
  readonly quality: Quality;
  readonly priceMicros: bigint;
  readonly sourceKey: string;
  readonly probe: SourceProbe;
  /** Whether its segments are stored encrypted. */
  readonly encryption: boolean;
  /** Where this run, and no other, writes. Ends with a slash. */
  readonly outputPrefix: string;
}

/** A reason a person understands, with its stable code. */
export interface Failure {
  readonly code: string;
  readonly message: string;
}

/** The worker no longer holds its claim: another has it, or the attempt was resolved. Nothing was changed. */
export class FencedError extends Error {
  override readonly name = 'FencedError';
}

/** How often a run may be lost or break by our own doing before the attempt is given up. */
export const MAX_FAULTS = 5;

const NO_TEXTS: SourceTexts = { captions: [], chapters: [] };

const GAVE_UP: Failure = {
  code: 'PROCESSING_FAILED',
  message: 'Processing kept failing on our side. You were not charged; please try again.',
};

interface ClaimedVideo {
  readonly source_key: string;
  readonly source_probe: SourceProbe;
  readonly encryption: boolean;
}

interface ClaimedRun {
  readonly run: number;
  readonly faults: number;
  readonly quality: Quality;
  readonly price_micros: string;
}

/**
 * The life of a purchase after it was enqueued. Whatever happens to whom, an attempt is resolved once: each way out is
 * one transaction that changes video, attempt and escrow together, and is refused to a worker that lost its claim.
 */
export class AttemptService {
  constructor(private readonly db: Database) {}

  /** Takes the attempt up, fencing off whoever had it. `null` where there is nothing left to do. */
  claim(job: ProcessVideoJob): Promise<Claim | null> {
    return this.db.transaction(async ({ sql }) => {
      const attempt = [job.accountId, job.videoId, job.attempt];
      const [video] = await sql.query<ClaimedVideo>(statements.START_VIDEO, attempt);
      if (!video) return null;
      const [held] = await sql.query<ClaimedRun>(statements.CLAIM, attempt);
      if (!held) return null;
      if (held.faults > MAX_FAULTS) {
        await failAttempt(sql, job, held.run, GAVE_UP);
        return null;
      }
      const outputPrefix = outputPrefixOf(job, held.run);
      await sql.query(statements.DOOM_EARLIER_OUTPUTS, [...attempt, held.run]);
      await sql.query(statements.INSERT_OUTPUT, [...attempt, held.run, outputPrefix]);
      return {
        ...job,
        run: held.run,
        quality: held.quality,
        priceMicros: BigInt(held.price_micros),
        sourceKey: video.source_key,
        probe: video.source_probe,
        encryption: video.encryption,
        outputPrefix,
      };
    });
  }

  /** @returns false where the claim is lost: stop working. */
  async report(claim: Claim, progress: Omit<EncodeProgress, 'step'> & { step: string }): Promise<boolean> {
    const { step, percent, speed, etaSeconds } = progress;
    const rows = await this.db.sql.query(statements.REPORT_PROGRESS, [
      ...fenceOf(claim),
      step,
      percent,
      speed,
      etaSeconds === null ? null : Math.round(etaSeconds),
    ]);
    return rows.length > 0;
  }

  /**
   * Makes what lies under the claim's prefix the video, and settles its escrow: for what was delivered, never more than
   * was locked; the rest goes back.
   *
   * @throws FencedError; nothing is published or charged then.
   */
  publish(claim: Claim, ladder: EncodedLadder, texts: SourceTexts = NO_TEXTS): Promise<void> {
    return this.db.transaction(async ({ sql }) => {
      const { accountId, videoId, attempt, outputPrefix } = claim;
      const posterPath = ladder.posterPath && posterPathOf(claim, randomBytes(16).toString('base64url'));
      const [published] = await sql.query(statements.PUBLISH_VIDEO, [
        accountId,
        videoId,
        attempt,
        ladder.rungs.map((rung) => rung.quality),
        outputPrefix,
        posterPath,
        ladder.storyboard?.indexPath ?? null,
        posterPath && ladder.storyboard?.previewPath ? previewPathOf(posterPath) : null,
      ]);
      const [succeeded] = await sql.query(statements.SUCCEED, fenceOf(claim));
      if (!published || !succeeded) throw new FencedError(`run ${claim.run} of attempt ${attempt} is over`);

      await sql.query(statements.CLEAR_RENDITIONS, [accountId, videoId]);
      for (const rung of ladder.rungs) {
        await sql.query(statements.INSERT_RENDITION, [accountId, videoId, ...renditionRow(rung)]);
      }
      await sql.query(statements.REPLACE_PUBLISHED, [accountId, videoId, outputPrefix]);
      for (const object of publishedObjects(claim, ladder)) {
        await sql.query(statements.INSERT_STORED_OBJECT, [accountId, videoId, object.key, object.sizeBytes]);
      }
      await sql.query(statements.DOOM_OUTPUTS, [accountId, videoId, outputPrefix]);
      await takeSourceTexts(sql, claim, texts);
      await settleEscrow(sql, { accountId, videoId, attempt, amountMicros: dueMicros(claim, ladder) });
    });
  }

  /**
   * Puts the attempt back into the queue. `faulted` counts against it; a worker that merely stops does not.
   *
   * @returns false where the claim was lost already.
   */
  async giveBack(claim: Claim, { faulted }: { faulted: boolean }): Promise<boolean> {
    const rows = await this.db.sql.query(statements.GIVE_BACK, [...fenceOf(claim), faulted]);
    return rows.length > 0;
  }

  /** Ends the attempt without a charge. @returns false where the claim was lost already. */
  fail(claim: Claim, failure: Failure): Promise<boolean> {
    return this.db.transaction(({ sql }) => failAttempt(sql, claim, claim.run, failure));
  }

  /** Whether this very run is still at it. */
  async isHeld(run: ProcessVideoJob & { run: number }): Promise<boolean> {
    const rows = await this.db.sql.query(statements.IS_HELD, fenceOf(run));
    return rows.length > 0;
  }

  /** Ends an attempt whose job is gone from the queue, without a charge. @returns false where it was resolved already. */
  abandon(job: ProcessVideoJob): Promise<boolean> {
    return this.db.transaction(({ sql }) => failAttempt(sql, job, null, GAVE_UP));
  }

  /** Gives back an escrow whose attempt is over or was never made. @returns false where it was resolved already. */
  releaseOrphan(job: ProcessVideoJob): Promise<boolean> {
    return this.db.transaction(async ({ sql }) => {
      await sql.query(statements.LOCK_VIDEO, [job.accountId, job.videoId]);
      const released = await releaseEscrow(sql, job);
      if (released) await notifyWallet(sql, job.accountId);
      return released;
    });
  }
}

/** In the order every transaction locks: video, attempt, escrow. */
async function failAttempt(sql: Sql, job: ProcessVideoJob, run: number | null, failure: Failure): Promise<boolean> {
  const { accountId, videoId, attempt } = job;
  await sql.query(statements.LOCK_VIDEO, [accountId, videoId]);
  const [failed] = await sql.query(statements.FAIL, [accountId, videoId, attempt, run, failure.code, failure.message]);
  if (!failed) return false;
  await sql.query(statements.FAIL_VIDEO, [accountId, videoId, attempt, failure.code, failure.message]);
  await sql.query(statements.DOOM_OUTPUTS, [accountId, videoId, null]);
  await releaseEscrow(sql, { accountId, videoId, attempt });
  return true;
}

function fenceOf({
  accountId,
  videoId,
  attempt,
  run,
}: ProcessVideoJob & { run: number }): [string, string, number, number] {
  return [accountId, videoId, attempt, run];
}

/** The price was bound for the bought quality; a ladder that came out lower costs what it is. */
function dueMicros(claim: Claim, ladder: EncodedLadder): bigint {
  const best = ladder.rungs[0]?.quality;
  if (best === undefined) throw new Error('an empty ladder cannot be published');
  if (best === claim.quality) return claim.priceMicros;
  const { totalMicros } = priceOf(BigInt(claim.probe.durationMs), best, claim.encryption ? ['encryption'] : []);
  return totalMicros < claim.priceMicros ? totalMicros : claim.priceMicros;
}
