import { randomBytes, randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';

import { type UploadRow, IDLE } from './upload.sql.js';
import { type Database, execute, type Sql } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import { actorFor } from '../../shared/actor.js';
import { videoSpan } from '../../../tracing.js';
import type { JobQueue } from '../../../ports/jobQueue.js';
import type { ObjectStore } from '../../../ports/objectStore.js';
import { sourceKeyOf, type OpenUpload, type UploadRef, type UploadStaging } from '../../../ports/uploadStaging.js';
import { unknownOf } from './unknownBytes.js';
import { UploadLeases } from './uploadLeases.js';
import { checkSize, claimAllowance, DEFAULT_ALLOWANCE, type UploadAllowance } from './uploadAllowance.js';
import { AWAIT_AGAIN, TAKE_SOURCE } from '../library/videoState.sql.js';
import { RECORD_SOURCE } from '../objects/storedObject.sql.js';
import * as statements from './upload.sql.js';

const UPLOAD_ID = /^[0-9a-f]{40}$/;
const UPLOAD_ID_BYTES = 20;
/** After this long, no request that created a file is still in progress. */
const UNKNOWN_AFTER_SECONDS = 3600;
/** A lease lasts six seconds. */
const RENEW_LEASE_EVERY_MS = 1500;
/** A longer write uses up a noticeable part of the upload's expiry. */
const LONG_WRITE_MS = 60_000;
/** Space that uploads leave free for the database and other writers. */
const MARGIN_BYTES = 64 * 1024 * 1024;

export interface UploadServiceDeps {
  readonly db: Database;
  readonly store: ObjectStore;
  readonly staging: UploadStaging;
  readonly jobs: JobQueue;
  /** The largest accepted file. */
  readonly maxSizeBytes: number;
  /** An upload that receives nothing for this long is abandoned. */
  readonly expiresInSeconds: number;
  /** How many unprocessed bytes an account may store; see {@link DEFAULT_ALLOWANCE}. */
  readonly allowance?: UploadAllowance;
}

/** What the uploader receives. `uploadId` works only for its account, and is unguessable anyway. */
export interface BegunUpload {
  readonly uploadId: string;
  readonly sizeBytes: number;
  readonly expiresAt: Date;
}

/** One upload as its owner sees it. */
export interface UploadState extends UploadRef {
  readonly videoId: string;
  readonly sizeBytes: number;
  /** The bytes that have arrived. */
  readonly offsetBytes: number;
  readonly finished: boolean;
  readonly expiresAt: Date;
}

/**
 * Turns an upload into a source in the object store.
 *
 * The bytes collect in the staging: a folder, or parts in the bucket. Finishing makes them
 * `sources/{account}/{video}/{upload}` and then, in one transaction, makes the video `uploaded` and asks for it to be
 * measured. A crash between the two leaves an object in the store and an open upload; the next request (the client's
 * HEAD, or the sweep) finishes it.
 */
export class UploadService {
  readonly leases: UploadLeases;
  readonly maxSizeBytes: number;
  /** By upload id: moves to the store that this process is making. */
  private readonly moves = new Map<string, Promise<void>>();

  constructor(private readonly deps: UploadServiceDeps) {
    this.leases = new UploadLeases(deps.db.sql);
    this.maxSizeBytes = deps.maxSizeBytes;
  }

  /**
   * Opens an upload of exactly `sizeBytes` for a video that waits for one. Replaces an open one.
   *
   * @param sql the transaction that creates the video, if any
   * @throws VIDEO_NOT_FOUND, INVALID_STATE if the video has its source, and what checkSize and {@link claimAllowance}
   * throw
   */
  async begin(accountId: string, videoId: string, file: { sizeBytes: number }, sql?: Sql): Promise<BegunUpload> {
    if (sql === undefined) return this.deps.db.transaction((own) => this.begin(accountId, videoId, file, own.sql));
    const { sizeBytes } = file;
    checkSize(sizeBytes, this.maxSizeBytes);
    const { allowance = DEFAULT_ALLOWANCE } = this.deps;
    const freeBytes = await this.deps.staging.freeBytes();
    await execute(sql, statements.LOCK_VIDEO, { accountId, videoId });
    const receivedBytes = async (openId: string): Promise<number> =>
      (await this.deps.staging.sizeBytes({ accountId, uploadId: openId })) ?? 0;
    await claimAllowance(sql, accountId, { sizeBytes, freeBytes, receivedBytes, allowance });
    const uploadId = randomBytes(UPLOAD_ID_BYTES).toString('hex');

    const [begun] = await execute(sql, statements.BEGIN, {
      accountId,
      videoId,
      uploadId,
      sizeBytes,
      expiresInSeconds: this.deps.expiresInSeconds,
    });
    if (begun === undefined) throw await this.refusal(sql, accountId, videoId);
    return { uploadId, sizeBytes, expiresAt: new Date(begun.expires_at) };
  }

  /**
   * Returns the state of an upload, after finishing it if it is complete.
   *
   * @returns `null` if the account has no such upload, its video is deleted, or the id is invalid
   * @throws UPLOAD_EXPIRED
   */
  async resume(accountId: string, uploadId: string): Promise<UploadState | null> {
    const row = await this.find(accountId, uploadId);
    if (row === null) return null;
    const sizeBytes = Number(row.size_bytes);
    const upload = { accountId, uploadId, videoId: row.video_id, sizeBytes, expiresAt: new Date(row.expires_at) };
    if (row.finished) return { ...upload, offsetBytes: sizeBytes, finished: true };
    if (await this.finishIfComplete(upload)) return { ...upload, offsetBytes: sizeBytes, finished: true };
    if (row.expired) throw new AppError('UPLOAD_EXPIRED', 'This upload has expired. Start a new one.');

    await this.deps.staging.create(upload);
    const offsetBytes = (await this.deps.staging.sizeBytes(upload)) ?? 0;
    return { ...upload, offsetBytes, finished: false };
  }

  /**
   * Appends bytes at `offsetBytes`, which must be the current end of the upload. The caller must hold the lease. If the
   * body breaks off, the bytes received so far are kept.
   *
   * @returns the new end of the upload
   * @throws NOT_FOUND, INVALID_STATE if the upload ends elsewhere, SERVICE_UNAVAILABLE
   */
  async receive(ref: UploadRef, offsetBytes: number, body: Readable): Promise<number> {
    const row = await this.find(ref.accountId, ref.uploadId);
    if (row === null || row.finished) throw new AppError('NOT_FOUND', 'Upload not found.');
    const upload = { ...ref, videoId: row.video_id, sizeBytes: Number(row.size_bytes) };
    if (upload.sizeBytes - offsetBytes > (await this.deps.staging.freeBytes()) - MARGIN_BYTES) {
      throw new AppError('SERVICE_UNAVAILABLE', 'There is no space for the rest of this file right now.');
    }
    const startedAt = performance.now();
    await this.touch(ref);
    const write = () => this.deps.staging.write(upload, offsetBytes, body);
    const reached = await videoSpan(upload.videoId, 'receive upload', { attributes: { offsetBytes } }, write);
    if (performance.now() - startedAt > LONG_WRITE_MS) await this.touch(ref);
    return reached;
  }

  /** Records that bytes begin to arrive. Returns the new expiry. */
  async touch(ref: UploadRef): Promise<Date | null> {
    const [row] = await execute(this.deps.db.sql, statements.TOUCH, {
      accountId: ref.accountId,
      uploadId: ref.uploadId,
      expiresInSeconds: this.deps.expiresInSeconds,
    });
    return row === undefined ? null : new Date(row.expires_at);
  }

  /**
   * Makes a complete upload the video's source. Finishing twice, or concurrently, finishes once.
   *
   * @throws INVALID_STATE if bytes are missing; NOT_FOUND if the upload does not exist
   */
  async finish(ref: UploadRef): Promise<void> {
    const row = await this.find(ref.accountId, ref.uploadId);
    if (row === null) throw new AppError('NOT_FOUND', 'Upload not found.');
    if (row.finished) return;
    if (!(await this.finishIfComplete({ ...ref, videoId: row.video_id, sizeBytes: Number(row.size_bytes) }))) {
      throw new AppError('INVALID_STATE', 'The upload is incomplete.');
    }
  }

  /**
   * Discards an upload, so that the video waits for another. The caller must hold the lease. Keeps a finished upload.
   */
  async discard(ref: UploadRef): Promise<void> {
    const row = await this.find(ref.accountId, ref.uploadId);
    if (row !== null && !row.finished) await this.remove({ ...ref, videoId: row.video_id });
  }

  /** Finishes complete uploads whose server was lost before it could. Returns how many. */
  async recoverUploads(): Promise<number> {
    return handleEach(idleUploads(this.deps.db.sql, false), (upload) => this.finishIfComplete(upload));
  }

  /** Removes uploads that were abandoned, or whose video is gone. Returns how many. */
  async expireUploads(): Promise<number> {
    try {
      return await handleEach(idleUploads(this.deps.db.sql, true), (upload) => this.expire(upload));
    } finally {
      await this.removeUnknownFiles();
    }
  }

  private async expire(upload: OpenUpload): Promise<boolean> {
    if (await this.finishIfComplete(upload)) return false;
    // A writer that comes at this moment finds the lease taken, and then the upload gone.
    const token = randomUUID();
    if ((await this.leases.acquire(upload, token)) !== 'acquired') return false;
    await this.remove(upload);
    return true;
  }

  /** A request that raced with a removal may have created the file again; a killed one may have left parts. */
  private async removeUnknownFiles(): Promise<void> {
    const { db, staging } = this.deps;
    await handleEach(unknownOf(db.sql, staging.listIdle(UNKNOWN_AFTER_SECONDS)), async (bytes) => {
      await staging.remove(bytes);
      return true;
    });
  }

  private async finishIfComplete(upload: OpenUpload): Promise<boolean> {
    const key = sourceKeyOf(upload);
    const staged = await this.deps.staging.sizeBytes(upload);
    if (staged !== null) {
      if (staged !== upload.sizeBytes) return false;
    } else if ((await this.deps.store.head(key))?.sizeBytes !== upload.sizeBytes) {
      return false;
    }
    await videoSpan(upload.videoId, 'finish upload', {}, async () => {
      if (staged !== null) await this.moveOnce(upload, key);
      await this.takeSource(upload, key);
    });
    return true;
  }

  /**
   * Moving a file to a remote store takes minutes. Further requests to this process wait for the same move, and the
   * lease keeps the sweeps of other processes away. Moving a file twice does no harm, but costs.
   */
  private moveOnce(upload: OpenUpload, key: string): Promise<void> {
    const { uploadId } = upload;
    const running = this.moves.get(uploadId);
    if (running !== undefined) return running;
    const move = this.moveLeased(upload, key).finally(() => this.moves.delete(uploadId));
    this.moves.set(uploadId, move);
    return move;
  }

  private async moveLeased(upload: OpenUpload, key: string): Promise<void> {
    const token = randomUUID();
    const keep = async (): Promise<void> => {
      const outcome = await this.leases.renew(upload, token);
      if (outcome === 'lost') await this.leases.acquire(upload, token);
    };
    await this.leases.acquire(upload, token);
    const heartbeat = setInterval(() => void keep().catch(() => undefined), RENEW_LEASE_EVERY_MS);
    try {
      await this.moveToStore(upload, key);
    } finally {
      clearInterval(heartbeat);
      // A lease that cannot be released expires by itself.
      await this.leases.release(upload, token).catch(() => undefined);
    }
  }

  /** If this fails, another process may have moved it, so that it is in the store already. */
  private async moveToStore(upload: OpenUpload, key: string): Promise<void> {
    try {
      await this.deps.staging.handOver(upload, key, this.deps.store);
    } catch (error) {
      if ((await this.deps.store.head(key))?.sizeBytes !== upload.sizeBytes) throw error;
    }
  }

  private async takeSource(upload: OpenUpload, key: string): Promise<void> {
    const { accountId, videoId, uploadId, sizeBytes } = upload;
    await this.deps.db.transaction(async ({ sql }) => {
      const [video] = await execute(sql, statements.LOCK_VIDEO, { accountId, videoId });
      const marked = await execute(sql, statements.MARK_FINISHED, { accountId, uploadId });
      if (marked.length === 0) return;
      const wanted = video?.alive === true && (video.status === 'awaiting_upload' || video.status === 'uploading');
      await execute(sql, RECORD_SOURCE, { accountId, key, videoId, sizeBytes, wanted });
      if (!wanted) return;
      // A worker may finish what the owner's browser has sent.
      const by = actorFor(accountId);
      await execute(sql, TAKE_SOURCE, {
        ...(by.actor === 'service' ? { actor: 'owner', actorId: accountId } : by),
        accountId,
        videoId,
        sourceKey: key,
        sizeBytes,
      });
      await this.deps.jobs.enqueueMeasureUpload(sql, { accountId, videoId });
    });
  }

  /** Removes the bytes first: after a crash, a row is left for the next sweep, and never bytes without a row. */
  private async remove(upload: UploadRef & { videoId: string }): Promise<void> {
    await this.deps.staging.remove(upload);
    await this.deps.db.transaction(async ({ sql }) => {
      await execute(sql, statements.LOCK_VIDEO, { accountId: upload.accountId, videoId: upload.videoId });
      const removed = await execute(sql, statements.REMOVE, { accountId: upload.accountId, uploadId: upload.uploadId });
      if (removed.length > 0) await execute(sql, AWAIT_AGAIN, { accountId: upload.accountId, videoId: upload.videoId });
    });
  }

  private async find(accountId: string, uploadId: string): Promise<UploadRow | null> {
    if (!UPLOAD_ID.test(uploadId)) return null;
    const [row] = await execute(this.deps.db.sql, statements.FIND, { accountId, uploadId });
    return row ?? null;
  }

  private async refusal(sql: Sql, accountId: string, videoId: string): Promise<AppError> {
    const [video] = await execute(sql, statements.VIDEO_STATUS, { accountId, videoId });
    return video === undefined
      ? new AppError('VIDEO_NOT_FOUND', 'Video not found.')
      : new AppError('INVALID_STATE', `This video already has a file (status: ${video.status}).`);
  }
}

/** The first failures show what is wrong; thousands of the same add nothing. */
const KEPT_FAILURES = 10;

/**
 * Handles the items one after the other. A failure does not stop the rest.
 *
 * @returns how many items `handle` returned true for
 * @throws AggregateError at the end, with the first failures
 */
async function handleEach<Item>(items: AsyncIterable<Item>, handle: (item: Item) => Promise<boolean>): Promise<number> {
  let handled = 0;
  let failed = 0;
  const failures: unknown[] = [];
  for await (const item of items) {
    try {
      if (await handle(item)) handled += 1;
    } catch (error) {
      failed += 1;
      if (failures.length < KEPT_FAILURES) failures.push(error);
    }
  }
  if (failed > 0) throw new AggregateError(failures, `${failed} could not be swept`);
  return handled;
}

const PAGE = 100;

/**
 * Open uploads that nobody writes to: those that expired or lost their video, or else those that have received bytes.
 * Earliest expiry first. Each page continues after the previous one, so the cost per upload does not grow with their
 * number.
 */
export async function* idleUploads(sql: Sql, lost: boolean): AsyncGenerator<OpenUpload> {
  for (let after = { afterTime: '-infinity', afterId: '' }; ;) {
    const rows = await execute(sql, IDLE, { lost, ...after, most: PAGE });
    for (const row of rows) {
      after = { afterTime: row.expires_at, afterId: row.id };
      yield {
        accountId: row.account_id,
        uploadId: row.id,
        videoId: row.video_id,
        sizeBytes: Number(row.size_bytes),
      };
    }
    if (rows.length < PAGE) return;
  }
}
