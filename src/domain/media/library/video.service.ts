import { type Database, execute, type Sql, type Transaction } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import type { JobQueue } from '../../../ports/jobQueue.js';
import { videoSpan } from '../../../tracing.js';
import { QUALITIES, type Quality } from '../../../ports/transcoder.js';
import { requireBrand } from '../branding/purchasedBrand.js';
import { actorFor } from '../../shared/actor.js';
import { LOWEST_ID, newId } from '../../shared/ids.js';
import { deleteCaptions } from '../captions/caption.service.js';
import { REMOVE_MEDIA_KEYS } from '../keys/mediaKey.sql.js';
import { REMOVE_OBJECTS } from '../objects/storedObject.sql.js';
import { CANCEL_ATTEMPTS, DOOM_OUTPUTS } from '../pipeline/attempt.sql.js';
import { askForFault, type VideoFault } from '../../accounts/testMode/testFaults.js';
import { releaseEscrow } from '../../ledger/escrow.js';
import type { BegunUpload, UploadService } from '../uploads/uploads.js';
import { Video } from './video.entity.js';
import { isTestVideo, TEST_VIDEO_CHOICE } from '../testMode/testVideos.js';
import { TEST_VIDEO_LIMITS } from '../testMode/testVideoLimits.js';
import { VideoConnectionReader, type VideoConnectionPage, type VideoConnectionQuery } from './videoConnection.js';
import {
  checkedDescription,
  checkedMetadata,
  checkedTags,
  checkedTitle,
  namedTags,
  titleOfUpload,
  VIDEO_LIMITS,
} from './videoInput.js';
import * as statements from './video.sql.js';

export interface NewVideo {
  /** Defaults to the file's name without its extension. */
  readonly title?: string | null | undefined;
  readonly filename: string;
  readonly sizeBytes: number;
  readonly description?: string | null | undefined;
  readonly tags?: readonly string[] | null | undefined;
  readonly metadata?: Readonly<Record<string, string>> | null | undefined;
  readonly quality?: Quality | null | undefined;
  readonly branding?: boolean | undefined;
  readonly encryption?: boolean | undefined;
  readonly normalizeLoudness?: boolean | undefined;
  /** Buy `quality` automatically as soon as the upload is measured. */
  readonly autoProcess?: boolean | undefined;
  /** What is to go wrong, in test mode. */
  readonly testFault?: VideoFault | null | undefined;
  /** For READY_AFTER_N_SECONDS. */
  readonly testFaultSeconds?: number | null | undefined;
}

/** Omitted or null fields stay as they are. */
export interface VideoChanges {
  readonly title?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly tags?: readonly string[] | null | undefined;
  readonly metadata?: Readonly<Record<string, string>> | null | undefined;
}

interface ExpiryOptions {
  readonly signal?: AbortSignal;
  /** Otherwise of all. */
  readonly accountId?: string;
}

export interface TagChange {
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

/** What owners do with their videos. */
export class VideoService {
  private readonly connection: VideoConnectionReader;

  constructor(private readonly deps: { db: Database; queue: JobQueue; uploads: Pick<UploadService, 'begin'> }) {
    this.connection = new VideoConnectionReader(deps.db);
  }

  /**
   * Creates a video and opens the upload of its file, or does neither.
   *
   * @throws INVALID_INPUT, FILE_TOO_LARGE, BRAND_MISSING, DEBT_OUTSTANDING, UPLOAD_ALLOWANCE_EXCEEDED, STORE_FULL;
   * LIMIT_REACHED if too many videos have no file yet, or are not bought, and with 20 test videos; LIVE_MODE_ONLY for an
   * add-on of a test video
   */
  create(accountId: string, input: NewVideo): Promise<{ video: Video; upload: BegunUpload }> {
    const videoId = newId();
    return videoSpan(videoId, 'create video', { isRoot: true }, () => this.insert(accountId, videoId, input));
  }

  private async insert(accountId: string, videoId: string, input: NewVideo) {
    const values = insertValues(input);
    const upload = await this.deps.db.transaction(async ({ sql }) => {
      const isTest = await isTestVideo(sql, accountId, input);
      if (input.branding === true) await requireBrand(sql, accountId);
      const inserted = await execute(sql, isTest ? statements.INSERT_TEST : statements.INSERT, {
        accountId,
        id: videoId,
        ...values,
        ...(isTest ? TEST_VIDEO_CHOICE : {}),
      });
      if (inserted.length === 0) {
        if (!isTest) throw tooManyUnprocessed();
        throw new AppError(
          'LIMIT_REACHED',
          `You can have ${TEST_VIDEO_LIMITS.videos} test videos at a time. Please delete some.`,
        );
      }
      const { testFault = null, testFaultSeconds: seconds = null } = input;
      await askForFault(sql, { accountId, subjectId: videoId, fault: testFault, seconds });
      return this.deps.uploads.begin(accountId, videoId, { sizeBytes: input.sizeBytes }, sql);
    });
    return { video: await this.get(accountId, videoId), upload };
  }

  /** @throws VIDEO_NOT_FOUND, also for another account's video. */
  async get(accountId: string, videoId: string): Promise<Video> {
    const video = await this.find(accountId, videoId);
    if (!video) throw notFound();
    return video;
  }

  find(accountId: string, videoId: string): Promise<Video | null> {
    return this.deps.db.em().findOne(Video, { accountId, id: videoId, deletedAt: null });
  }

  /** One page of the account's videos. @throws INVALID_INPUT for an invalid limit or cursor. */
  list(accountId: string, query: VideoConnectionQuery): Promise<VideoConnectionPage> {
    return this.connection.page(accountId, query);
  }

  /** @throws VIDEO_NOT_FOUND, INVALID_INPUT */
  async update(accountId: string, videoId: string, changes: VideoChanges): Promise<Video> {
    const { title, description, tags, metadata } = changes;
    const updated = await execute(this.deps.db.sql, statements.UPDATE, {
      ...actorFor(accountId),
      accountId,
      videoId,
      title: title == null ? null : checkedTitle(title),
      description: description == null ? null : checkedDescription(description),
      tags: tags == null ? null : checkedTags(tags),
      metadata: metadata == null ? null : JSON.stringify(checkedMetadata(metadata)),
    });
    if (updated.length === 0) throw notFound();
    return this.get(accountId, videoId);
  }

  /**
   * Deletes the video for good, whatever its status: fences off its job, releases its escrow, and hides it from
   * everyone. The sweep removes its files. Owners delete through `BinService`.
   *
   * @throws VIDEO_NOT_FOUND
   */
  delete(accountId: string, videoId: string): Promise<void> {
    return this.deps.db.transaction(async (tx) => {
      const { sql } = tx;
      const deleted = await execute(sql, statements.DELETE, { ...actorFor(accountId), accountId, videoId });
      if (deleted.length === 0) throw notFound();
      await cancelAttempts(sql, this.deps.queue, { accountId, videoId });
      await removeBelongings(tx, accountId, videoId);
    });
  }

  /**
   * Forgets deleted videos that were never bought, and those of test mode, 30 days after their deletion, so that creating
   * and deleting without paying cannot fill the table. Runs nightly. @returns how many
   */
  async forgetDeleted(signal?: AbortSignal): Promise<number> {
    return (await this.forget(statements.FORGET, signal)) + (await this.forget(statements.FORGET_TESTS, signal));
  }

  private async forget(some: typeof statements.FORGET, signal?: AbortSignal): Promise<number> {
    let forgotten = 0;
    for (let after = { afterDeletedAt: '-infinity', afterId: LOWEST_ID }; ;) {
      signal?.throwIfAborted();
      const page = await execute(this.deps.db.sql, some, after);
      const last = page.at(-1);
      if (last === undefined) return forgotten;
      forgotten += page.filter((row) => row.forgotten).length;
      after = { afterDeletedAt: last.deleted_at, afterId: last.id };
    }
  }

  /** Deletes test videos that are a week old, of one account or all. Runs nightly. @returns how many */
  async expireTestVideos({ signal, accountId }: ExpiryOptions = {}): Promise<number> {
    const { sql } = this.deps.db;
    const expired = await (accountId === undefined
      ? execute(sql, statements.EXPIRED_TEST_VIDEOS)
      : execute(sql, statements.EXPIRED_TEST_VIDEOS_OF, { accountId }));
    let deleted = 0;
    for (const { account_id: ownerId, id } of expired) {
      signal?.throwIfAborted();
      // Its owner may be faster.
      if (await ifItExists(() => this.delete(ownerId, id))) deleted += 1;
    }
    return deleted;
  }

  /** The account's tags with the number of videos that have each, most used first. At most 100. */
  async tags(accountId: string): Promise<{ tag: string; videos: number }[]> {
    const rows = await execute(this.deps.db.sql, statements.TAGS, { accountId });
    return rows.map(({ tag, videos }) => ({ tag, videos: Number(videos) }));
  }

  /**
   * Adds tags to several videos and removes others.
   *
   * @returns the ids of the changed videos; a video that would exceed 20 tags stays as it is
   * @throws INVALID_INPUT
   */
  async changeTags(accountId: string, videoIds: readonly string[], change: TagChange): Promise<string[]> {
    assertBatch(videoIds);

    const rows = await execute(this.deps.db.sql, statements.CHANGE_TAGS, {
      ...actorFor(accountId),
      accountId,
      videoIds,
      add: checkedTags(change.add),
      remove: namedTags(change.remove),
    });
    return rows.map(({ id }) => id);
  }
}

/** @throws INVALID_INPUT for no videos, or too many */
export function assertBatch(videoIds: readonly string[]): void {
  if (videoIds.length === 0 || videoIds.length > VIDEO_LIMITS.batch) {
    throw new AppError('INVALID_INPUT', `A batch must have 1 to ${VIDEO_LIMITS.batch} videos.`);
  }
}

function insertValues(input: NewVideo): Omit<statements.NewVideoRow, 'accountId' | 'id'> {
  const { quality = null, branding = false, encryption = false, autoProcess = false } = input;
  const { normalizeLoudness = false } = input;
  if (quality !== null && !QUALITIES.includes(quality)) throw new AppError('INVALID_INPUT', 'Unknown quality.');
  if (autoProcess && quality === null) {
    throw new AppError('INVALID_INPUT', 'Choose a quality to process the video automatically.');
  }
  if (branding && quality === 'audio') throw new AppError('INVALID_INPUT', 'Audio-only videos can’t use branding.');
  return {
    title: titleOfUpload(input.title, input.filename),
    description: checkedDescription(input.description ?? ''),
    tags: checkedTags(input.tags ?? []),
    metadata: JSON.stringify(checkedMetadata(input.metadata ?? {})),
    quality,
    branding,
    encryption,
    autoProcess,
    normalizeLoudness,
  };
}

export function notFound(): AppError {
  return new AppError('VIDEO_NOT_FOUND', 'Video not found.');
}

export function tooManyUnprocessed(): AppError {
  return new AppError(
    'LIMIT_REACHED',
    'Too many videos are waiting for their files or for processing. Please process or delete some.',
  );
}

/** Returns false if the video does not exist (any more). */
export async function ifItExists(run: () => Promise<void>): Promise<boolean> {
  try {
    await run();
    return true;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'VIDEO_NOT_FOUND') throw error;
    return false;
  }
}

/**
 * Releases the whole escrow, even if something is already playable: the video ends unfinished, and nothing was charged.
 *
 * @returns whether an attempt was in progress
 */
export async function cancelAttempts(
  sql: Sql,
  queue: Pick<JobQueue, 'cancelProcessVideo'>,
  { accountId, videoId }: { accountId: string; videoId: string },
): Promise<boolean> {
  const cancelled = await execute(sql, CANCEL_ATTEMPTS, { accountId, videoId });
  for (const { attempt, job_id: jobId } of cancelled) {
    await releaseEscrow(sql, { accountId, videoId, attempt });
    if (jobId !== null) await queue.cancelProcessVideo(sql, jobId);
  }
  return cancelled.length > 0;
}

/**
 * Cleans up after a deleted video: its files and outputs are left to the sweep, captions and keys are deleted at once.
 * @returns the number of captions and keys
 */
export async function removeBelongings(tx: Transaction, accountId: string, videoId: string): Promise<number> {
  const { sql } = tx;
  await execute(sql, REMOVE_OBJECTS, { accountId, videoId });
  const captions = await deleteCaptions(tx, accountId, videoId);
  const keys = await execute(sql, REMOVE_MEDIA_KEYS, { accountId, videoId });
  await execute(sql, DOOM_OUTPUTS, { accountId, videoId });
  return captions + keys.length;
}
