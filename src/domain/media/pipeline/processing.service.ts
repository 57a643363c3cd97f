import { type Database, execute, type Sql, type Transaction } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import type { JobQueue } from '../../../ports/jobQueue.js';
import { pinBrand } from '../branding/purchasedBrand.js';
import { formatCredits } from '../../ledger/credits.js';
import { lockEscrow } from '../../ledger/escrow.js';
import { lockWallet } from '../../ledger/lockWallet.js';
import { actorFor } from '../../shared/actor.js';
import { LOCK } from '../library/bin.sql.js';
import { assertBatch, cancelAttempts } from '../library/video.service.js';
import { MAX_ATTEMPTS, NOTE_REFUSAL, QUEUE_VIDEO, UNQUEUE_VIDEO } from '../library/videoState.sql.js';
import type { Admission } from './admission.js';
import {
  FIND_PURCHASE,
  FIND_WAITING,
  INSERT_ATTEMPT,
  IS_CANCELLED,
  LAST_CHOICE,
  LOCK_QUOTE,
  QUEUED_JOBS,
  VIDEO_STATUS,
  type QuoteRow,
} from './purchase.sql.js';
import type { BindingQuote, ProcessingChoice, QuoteService } from './quote.service.js';

/** A purchase: the video and the attempt that it paid for. */
export interface Purchase {
  readonly videoId: string;
  readonly attempt: number;
}

/**
 * What became of a purchase that was to be cancelled: `begun` and `limit` leave it as it is, the second because too many
 * videos of the account are not bought. `over` is one that has ended, or never was.
 */
export type CancellationResult = 'cancelled' | 'begun' | 'limit' | 'over';

interface Cancellation {
  readonly videoId: string;
  readonly result: CancellationResult;
}

/** Further writes in the transaction of a purchase. */
export type Alongside = (tx: Transaction, purchase: Purchase) => Promise<void>;

/**
 * What owners do about processing: get a quote, buy, retry.
 *
 * Every transaction about a video takes its locks in the same order (quote, video, processing, escrow and ledger), so
 * they cannot deadlock.
 */
export class ProcessingService {
  constructor(
    private readonly deps: {
      db: Database;
      queue: JobQueue;
      quotes: QuoteService;
      /** Refuses purchases that would fill a disk. Without it, nothing is refused. */
      admission?: Pick<Admission, 'refuseWithoutSpace'>;
    },
  ) {}

  /** See {@link QuoteService.create}. */
  quote(accountId: string, videoId: string, choice: ProcessingChoice): Promise<BindingQuote> {
    return this.deps.quotes.create(accountId, videoId, choice);
  }

  /**
   * Locks the quoted price in escrow and enqueues the job, both or neither. A quote is used once: sending it again
   * returns the purchase it made. A test video costs nothing and has no escrow. With branding, the logo is the current
   * one, or `brandVersion`.
   *
   * @throws NOT_FOUND (quote), QUOTE_EXPIRED also if its purchase was cancelled, ACCOUNT_SUSPENDED, VIDEO_NOT_FOUND,
   *   INVALID_STATE, BRAND_MISSING, LIMIT_REACHED after too many failures, DEBT_OUTSTANDING with `details.owed`,
   *   INSUFFICIENT_CREDITS with `details.missing`, STORE_FULL; nothing is queued or locked then.
   */
  process(accountId: string, quoteId: string, alongside?: Alongside, brandVersion?: number | null): Promise<Purchase> {
    return this.deps.db.transaction(async (tx) => {
      const { sql } = tx;
      const [quote] = await execute(sql, LOCK_QUOTE, { accountId, quoteId });
      if (!quote) throw new AppError('NOT_FOUND', 'Quote not found.');
      const videoId = quote.video_id;

      const [made] = await execute(sql, FIND_PURCHASE, { accountId, quoteId });
      if (made?.is_cancelled) {
        throw new AppError('QUOTE_EXPIRED', 'What this quote bought was cancelled, and not charged. Get a new one.');
      }
      if (made) return { videoId, attempt: made.attempt };
      if (quote.suspended) throw new AppError('ACCOUNT_SUSPENDED', 'This account is suspended.');
      if (quote.expired) throw new AppError('QUOTE_EXPIRED', 'This quote has expired. Get a new one.');

      await this.deps.admission?.refuseWithoutSpace(sql, accountId, videoId, quote.quality);
      const attempt = await queueVideo(sql, accountId, quote);
      const brand = quote.branding ? (brandVersion ?? (await pinBrand(tx, accountId))) : null;
      if (!quote.is_test) {
        await refuseDebt(sql, accountId);
        await lockEscrow(sql, {
          accountId,
          videoId,
          attempt,
          bucket: 'CREATIVE',
          amountMicros: BigInt(quote.total_micros),
        });
      }
      const jobId = await this.deps.queue.enqueueProcessVideo(
        sql,
        { accountId, videoId, attempt },
        { afterSeconds: quote.ready_after_seconds ?? 0 },
      );
      const { quality } = quote;
      const price = quote.is_test ? '0' : quote.total_micros;
      await execute(sql, INSERT_ATTEMPT, {
        accountId,
        videoId,
        attempt,
        quoteId,
        quality,
        price,
        jobId,
        brandVersion: brand,
      });
      await alongside?.(tx, { videoId, attempt });
      return { videoId, attempt };
    });
  }

  /** Lets queued videos of an account that are to be processed later begin `seconds` sooner. */
  async hasten(sql: Sql, accountId: string, seconds: number): Promise<void> {
    const jobs = await execute(sql, QUEUED_JOBS, { accountId });
    const jobIds = jobs.flatMap(({ job_id: id }) => id ?? []);
    await this.deps.queue.hastenProcessVideo(sql, jobIds, seconds);
  }

  /**
   * Buys processing of a failed video again, with the same choice and logo, at today's price.
   *
   * @throws what {@link quote} and {@link process} throw; INVALID_STATE unless it failed in processing.
   */
  async retry(accountId: string, videoId: string, alongside?: Alongside): Promise<Purchase> {
    const [video] = await execute(this.deps.db.sql, LAST_CHOICE, { accountId, videoId });
    if (!video) throw new AppError('VIDEO_NOT_FOUND', 'Video not found.');
    if (video.status !== 'failed' || video.attempt === 0 || video.quality === null) {
      throw new AppError('INVALID_STATE', 'Only a video that failed in processing can be retried.', {
        details: { status: video.status },
      });
    }
    const { quality, branding, encryption, normalize_loudness: normalizeLoudness, brand_version: brandVersion } = video;
    const { id } = await this.deps.quotes.create(
      accountId,
      videoId,
      { quality, branding, encryption, normalizeLoudness },
      { brandVersion },
    );
    return this.process(accountId, id, alongside, brandVersion);
  }

  /**
   * Cancels purchases that no worker has begun with, one after the other: what they locked is returned, and the videos are as
   * before. Asked again, it says the same. If it fails, earlier ones stay cancelled.
   *
   * @returns what became of each video that exists
   * @throws INVALID_INPUT for no videos, or too many
   */
  async cancel(accountId: string, videoIds: readonly string[]): Promise<Cancellation[]> {
    assertBatch(videoIds);
    const results: Cancellation[] = [];
    for (const videoId of new Set(videoIds)) {
      const result = await this.cancelOne({ accountId, videoId });
      if (result !== null) results.push({ videoId, result });
    }
    return results;
  }

  private cancelOne(key: { accountId: string; videoId: string }): Promise<CancellationResult | null> {
    return this.deps.db.transaction(async ({ sql }) => {
      // A worker that claims the attempt waits for this lock, or has set another status before.
      const [video] = await execute(sql, LOCK, key);
      if (!video) return null;
      if (video.status === 'processing') return 'begun';
      if (video.status !== 'queued') return (await execute(sql, IS_CANCELLED, key)).length > 0 ? 'cancelled' : 'over';
      const unqueued = await execute(sql, UNQUEUE_VIDEO, { ...actorFor(key.accountId), ...key });
      if (unqueued.length === 0) return 'limit';
      await cancelAttempts(sql, this.deps.queue, key);
      return 'cancelled';
    });
  }

  /**
   * Buys what the owner chose in advance, once the upload is measured. Returns `null` if nothing was chosen or it has
   * already been bought.
   *
   * @throws what {@link quote} and {@link process} throw; the video then waits for its owner, with the reason as its
   *   failure.
   */
  async processAsChosen(accountId: string, videoId: string): Promise<Purchase | null> {
    const [video] = await execute(this.deps.db.sql, LAST_CHOICE, { accountId, videoId });
    if (!video?.auto_process || video.quality === null || video.status !== 'uploaded' || video.attempt > 0) return null;
    const { quality, branding, encryption, normalize_loudness: normalizeLoudness } = video;
    try {
      const { id } = await this.quote(accountId, videoId, { quality, branding, encryption, normalizeLoudness });
      return await this.process(accountId, id);
    } catch (error) {
      // A full store is the service's problem: the purchase is retried later.
      if (error instanceof AppError && error.code !== 'STORE_FULL') {
        await execute(this.deps.db.sql, NOTE_REFUSAL, { accountId, videoId, code: error.code, message: error.message });
      }
      throw error;
    }
  }

  /**
   * Buys what was chosen for videos that waited for credits, oldest first: none overtakes an older one of its owner. Any
   * number of processes may do it at once: a video is bought once.
   *
   * @returns how many it bought
   */
  async processWaiting(signal: AbortSignal): Promise<number> {
    let bought = 0;
    const refused = new Set<string>();
    for (const { account_id: accountId, id } of await execute(this.deps.db.sql, FIND_WAITING, {})) {
      if (signal.aborted) break;
      if (refused.has(accountId)) continue;
      try {
        if (await this.processAsChosen(accountId, id)) bought += 1;
      } catch (error) {
        // Another job took the credits. It waits on, with the reason, and younger ones wait behind it.
        if (!(error instanceof AppError)) throw error;
        refused.add(accountId);
      }
    }
    return bought;
  }
}

/** Refuses accounts with a debt. The lock also covers a debt that arises at the same moment. */
async function refuseDebt(sql: Sql, accountId: string): Promise<void> {
  const { DEBT } = await lockWallet(sql, accountId);
  if (DEBT === 0n) return;
  const owed = formatCredits(-DEBT);
  throw new AppError('DEBT_OUTSTANDING', `Please repay ${owed} credits of debt first.`, { details: { owed } });
}

async function queueVideo(sql: Sql, accountId: string, quote: QuoteRow): Promise<number> {
  const { video_id: videoId, quality, branding, encryption, duration_ms: durationMs } = quote;
  const [queued] = await execute(sql, QUEUE_VIDEO, {
    ...actorFor(accountId),
    accountId,
    videoId,
    quality,
    branding,
    encryption,
    durationMs,
    normalizeLoudness: quote.normalize_loudness,
  });
  if (queued) return queued.attempt;
  const [video] = await execute(sql, VIDEO_STATUS, { accountId, videoId });
  if (!video) throw new AppError('VIDEO_NOT_FOUND', 'Video not found.');
  if ((video.status === 'failed' || video.status === 'uploaded') && video.attempt >= MAX_ATTEMPTS) {
    throw new AppError(
      'LIMIT_REACHED',
      `Processing of this video failed or was cancelled ${MAX_ATTEMPTS} times. Please upload another file.`,
    );
  }
  throw new AppError('INVALID_STATE', `A video with status ${video.status} cannot be processed.`, {
    details: { status: video.status },
  });
}
