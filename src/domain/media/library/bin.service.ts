import { type Database, execute, type Sql, type Transaction } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import type { JobQueue } from '../../../ports/jobQueue.js';
import { actorFor } from '../../shared/actor.js';
import { isUuid, LOWEST_ID } from '../../shared/ids.js';
import { REMOVE_MEDIA_KEYS } from '../keys/mediaKey.sql.js';
import { REMOVE_MADE_OBJECTS } from '../objects/storedObject.sql.js';
import { DOOM_OUTPUTS } from '../pipeline/attempt.sql.js';
import * as statements from './bin.sql.js';
import type { Video } from './video.entity.js';
import {
  assertBatch,
  cancelAttempts,
  ifItExists,
  notFound,
  removeBelongings,
  tooManyUnprocessed,
  type VideoService,
} from './video.service.js';

/** Passes of one nightly run, of `BATCH` videos each; the rest waits for the next run, minutes later. */
const MAX_PASSES = 50;

export interface BinPage {
  /** One more than asked for if there is a next page. */
  readonly rows: readonly statements.BinRow[];
  readonly totalCount: number;
  readonly storedBytes: bigint;
}

export interface EmptiedBin {
  readonly deleted: number;
  /** How many are left of what was in the bin at `until`. */
  readonly remaining: number;
  /** For the next call, so that it leaves what was deleted meanwhile. */
  readonly until: Date;
}

/**
 * Where deleted videos stay for a week. For callers of the API, players and lists a video in the bin is deleted; its
 * files stay, and cost storage.
 */
export class BinService {
  constructor(
    private readonly deps: {
      readonly db: Database;
      readonly queue: Pick<JobQueue, 'cancelProcessVideo'>;
      readonly videos: Pick<VideoService, 'get'>;
    },
  ) {}

  /**
   * Moves a video to the bin. Its job ends, and its escrow is released: then nothing of that purchase plays, and the
   * restored video waits to be processed again. Two kinds are deleted for good: a video whose file has
   * not arrived, because it has nothing to restore, and a test video, because the bin could exceed their limit.
   *
   * @throws VIDEO_NOT_FOUND
   */
  put(accountId: string, videoId: string): Promise<void> {
    return this.deps.db.transaction(async (tx) => {
      const { sql } = tx;
      const [video] = await execute(sql, statements.LOCK, { accountId, videoId });
      if (!video) throw notFound();
      await execute(sql, statements.PUT, { ...actorFor(accountId), accountId, videoId });
      await undoAttempts(sql, this.deps.queue, { accountId, videoId });
      if (!video.is_test && video.status !== 'awaiting_upload' && video.status !== 'uploading') return;
      await execute(sql, statements.PURGE, { accountId, videoId, ifDue: false });
      await removeBelongings(tx, accountId, videoId);
    });
  }

  /** As `put`, one after the other. Returns those that existed. If it fails, earlier ones stay in the bin. */
  putAll(accountId: string, videoIds: readonly string[]): Promise<string[]> {
    return eachThatExists(videoIds, (videoId) => this.put(accountId, videoId));
  }

  /**
   * Makes a video in the bin exactly what it was, except for a purchase that was returned.
   *
   * @throws VIDEO_NOT_FOUND if it is not in the bin, or its time is over; LIMIT_REACHED if too many videos are not bought
   */
  async restore(accountId: string, videoId: string): Promise<Video> {
    await this.deps.db.transaction(async ({ sql }) => {
      const [video] = await execute(sql, statements.LOCK_IN_BIN, { accountId, videoId });
      if (!video) throw notFound();
      const restored = await execute(sql, statements.RESTORE, { ...actorFor(accountId), accountId, videoId });
      if (restored.length > 0) return;
      throw tooManyUnprocessed();
    });
    return this.deps.videos.get(accountId, videoId);
  }

  /** As `restore`, one after the other. Returns those that are out of the bin: asked again, it says the same. */
  restoreAll(accountId: string, videoIds: readonly string[]): Promise<string[]> {
    return eachThatExists(videoIds, async (videoId) => {
      const restored = await ifItExists(async () => void (await this.restore(accountId, videoId)));
      if (!restored) await this.deps.videos.get(accountId, videoId);
    });
  }

  /** Deletes a video in the bin for good. @throws VIDEO_NOT_FOUND if it is not in the bin */
  async deleteForever(accountId: string, videoId: string): Promise<void> {
    if (!(await this.purge(accountId, videoId, { ifDue: false }))) throw notFound();
  }

  /**
   * Deletes for good what is in the bin, up to 100 videos per call, oldest first.
   *
   * @param since the `until` of the call before, if there was one
   */
  async empty(accountId: string, since: Date | null): Promise<EmptiedBin> {
    const { sql } = this.deps.db;
    const until = since ?? new Date((await execute(sql, statements.NOW))[0]!.now);
    let deleted = 0;
    for (const { id } of await execute(sql, statements.OLDEST, { accountId, until })) {
      if (await this.purge(accountId, id, { ifDue: false })) deleted += 1;
    }
    const [left] = await execute(sql, statements.COUNT_UNTIL, { accountId, until });
    return { deleted, remaining: Number(left!.videos), until };
  }

  /**
   * A page of the bin, newest first.
   *
   * @param first up to 101
   * @throws INVALID_INPUT for an invalid cursor
   */
  async page(accountId: string, { first, after }: { first: number; after: string | null }): Promise<BinPage> {
    const { micros, id } = after === null ? { micros: null, id: LOWEST_ID } : parseCursor(after);
    const rows = await execute(this.deps.db.sql, statements.PAGE, {
      accountId,
      afterMicros: micros,
      afterId: id,
      first,
    });
    return { rows, ...(await this.totals(accountId)) };
  }

  /**
   * Deletes for good what has been in the bin for a week. Each video has its own transaction, so a run that is
   * killed leaves the rest for the next one. @returns how many
   */
  async purgeDue(signal?: AbortSignal): Promise<number> {
    let purged = 0;
    for (let pass = 0; pass < MAX_PASSES; pass += 1) {
      const due = await execute(this.deps.db.sql, statements.DUE);
      for (const { account_id: accountId, id } of due) {
        signal?.throwIfAborted();
        if (await this.purge(accountId, id, { ifDue: true })) purged += 1;
      }
      if (due.length < statements.BATCH) break;
    }
    return purged;
  }

  private purge(accountId: string, videoId: string, { ifDue }: { ifDue: boolean }): Promise<boolean> {
    return this.deps.db.transaction(async (tx) => {
      const purged = await execute(tx.sql, statements.PURGE, { accountId, videoId, ifDue });
      if (purged.length === 0) return false;
      await removeBelongings(tx, accountId, videoId);
      return true;
    });
  }

  private async totals(accountId: string): Promise<Omit<BinPage, 'rows'>> {
    const [totals] = await execute(this.deps.db.sql, statements.TOTALS, { accountId });
    return { totalCount: Number(totals!.videos), storedBytes: BigInt(totals!.stored_bytes) };
  }
}

/** Ends a video's job and returns its purchase: the video is as it was before. Changes nothing if it is deleted. */
export async function endProcessing(
  { sql }: Transaction,
  queue: Pick<JobQueue, 'cancelProcessVideo'>,
  key: { accountId: string; videoId: string },
): Promise<void> {
  const [video] = await execute(sql, statements.LOCK, key);
  if (video) await undoAttempts(sql, queue, key);
}

async function undoAttempts(
  sql: Sql,
  queue: Pick<JobQueue, 'cancelProcessVideo'>,
  key: { accountId: string; videoId: string },
): Promise<void> {
  if (!(await cancelAttempts(sql, queue, key))) return;
  await execute(sql, statements.UNDO_PURCHASE, key);
  await execute(sql, REMOVE_MADE_OBJECTS, key);
  await execute(sql, REMOVE_MEDIA_KEYS, key);
  await execute(sql, DOOM_OUTPUTS, key);
}

/** As `bin.sql.ts` writes it: microseconds and a UUID. */
const CURSOR = /^(\d{1,17})\.([0-9a-f-]{36})$/;

function parseCursor(cursor: string): { micros: string; id: string } {
  const [, micros, id] = CURSOR.exec(cursor) ?? [];
  if (micros === undefined || id === undefined || !isUuid(id)) {
    throw new AppError('INVALID_INPUT', 'This cursor belongs to another list.');
  }
  return { micros, id };
}

async function eachThatExists(videoIds: readonly string[], run: (videoId: string) => Promise<void>): Promise<string[]> {
  assertBatch(videoIds);
  const done: string[] = [];
  for (const videoId of new Set(videoIds)) {
    if (await ifItExists(() => run(videoId))) done.push(videoId);
  }
  return done;
}
