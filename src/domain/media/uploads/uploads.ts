import type { UploadRow } from './upload.sql.js';
import { randomBytes, randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';

import { type Database, execute, type Sql } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import type { JobQueue } from '../../../ports/jobQueue.js';
import type { ObjectStore } from '../../../ports/objectStore.js';
import { sourceKeyOf, type OpenUpload, type UploadRef, type UploadStaging } from '../../../ports/uploadStaging.js';
import { idleUploads } from './idleUploads.js';
import { unknownOf } from './unknownBytes.js';
import { UploadLeases } from './uploadLeases.js';
import { checkSize, claimAllowance, DEFAULT_ALLOWANCE, type UploadAllowance } from './uploadAllowance.js';
import * as statements from './upload.sql.js';
const UPLOAD_ID = /^[0-9a-f]{40}$/;
const UPLOAD_ID_BYTES = 20;
/** No request that made a file is still on its way after this long. */
const UNKNOWN_AFTER_SECONDS = 3600;
/** A lease lives for six seconds. */
const RENEW_LEASE_EVERY_MS = 1500;
/** A longer write used up a noticeable part of the time until the upload counts as abandoned. */
const LONG_WRITE_MS = 60_000;
/** What uploads leave free, for the database and whoever else is about to write. */
const MARGIN_BYTES = 64 * 1024 * 1024;

export interface UploadServiceDeps {
  readonly db: Database;
  readonly store: ObjectStore;
  readonly staging: UploadStaging;
  readonly jobs: JobQueue;
  /** The largest file that is taken. */
  readonly maxSizeBytes: number;
  /** An upload that nobody continued for this long is given up. */
  readonly expiresInSeconds: number;
  /** How much of what is not processed an account may store; see {@link DEFAULT_ALLOWANCE}. */
  readonly allowance?: UploadAllowance;
}

/** What the uploader is told; `uploadId` opens the upload to its account alone, but is unguessable all the same. */
export interface BegunUpload {
  readonly uploadId: string;
  readonly sizeBytes: number;
  readonly expiresAt: Date;
}

/** One upload as its owner sees it. */
export interface UploadState extends UploadRef {
  readonly videoId: string;
  readonly sizeBytes: number;
  /** Bytes that have arrived. */
  readonly offsetBytes: number;
  readonly finished: boolean;
  readonly expiresAt: Date;
}

/**
 * From a promise of so many bytes to a source in the object store.
 *
 * The bytes gather in the staging: a folder, or parts in the bucket. Finishing makes them `sources/{account}/{video}/
 * {upload}` and then, in one transaction, makes the video `uploaded` and asks for it to be measured. A crash between the
 * two leaves an object in the store and an open upload; whoever asks next (the client's HEAD, or the sweep) carries on.
 */
export class UploadService {
  readonly leases: UploadLeases;
  readonly maxSizeBytes: number;
  /** By upload id: what this process is handing over to the store at the moment. */
  private readonly moves = new Map<string, Promise<void>>();

  constructor(private readonly deps: UploadServiceDeps) {
    this.leases = new UploadLeases(deps.db.sql);
    this.maxSizeBytes = deps.maxSizeBytes;
  }

  /**
   * Opens an upload of exactly `sizeBytes` for a video that waits for one. It takes the place of one still open.
   *
   * @param sql the transaction that makes the video, where there is one.
   * @throws VIDEO_NOT_FOUND, INVALID_STATE where it has its source, and what checkSize and {@link claimAllowance} throw.
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
   * Where an upload stands, put right first: one that is complete is finished on the spot.
   *
   * @returns `null` where the account has no such upload, its video is deleted, or the id is none of ours.
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
   * Takes bytes from `offsetBytes` on, which is where the upload stands. The caller holds the lease. What came of a body
   * that breaks off is kept.
   *
   * @returns where the upload stands now.
   * @throws NOT_FOUND, INVALID_STATE where it stands elsewhere, SERVICE_UNAVAILABLE
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
    const reached = await this.deps.staging.write(upload, offsetBytes, body);
    if (performance.now() - startedAt > LONG_WRITE_MS) await this.touch(ref);
    return reached;
  }

  /** Bytes begin to arrive. Returns until when the upload now waits for more. */
  async touch(ref: UploadRef): Promise<Date | null> {
    const [row] = await execute(this.deps.db.sql, statements.TOUCH, {
      accountId: ref.accountId,
      uploadId: ref.uploadId,
      expiresInSeconds: this.deps.expiresInSeconds,
    });
    return row === undefined ? null : new Date(row.expires_at);
  }

  /**
   * All bytes are there: makes them the video's source. Finishing twice, or by two at once, is finishing once.
   *
   * @throws INVALID_STATE where bytes are missing; NOT_FOUND where there is no such upload.
   */
  async finish(ref: UploadRef): Promise<void> {
    const row = await this.find(ref.accountId, ref.uploadId);
    if (row === null) throw new AppError('NOT_FOUND', 'Upload not found.');
    if (row.finished) return;
    if (!(await this.finishIfComplete({ ...ref, videoId: row.video_id, sizeBytes: Number(row.size_bytes) }))) {
      throw new AppError('INVALID_STATE', 'The upload is incomplete.');
    }
  }

  /** Gives an upload up; the video waits for another. The caller holds the lease. A finished one stays. */
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
    // A writer that comes at this very moment finds the upload taken, and then gone.
    const token = randomUUID();
    if ((await this.leases.acquire(upload, token)) !== 'acquired') return false;
    await this.remove(upload);
    return true;
  }

  /** A request that crossed with a removal may have made the file again; one that was killed may have left parts. */
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
      await this.moveOnce(upload, key);
    } else if ((await this.deps.store.head(key))?.sizeBytes !== upload.sizeBytes) {
      return false;
    }
    await this.takeSource(upload, key);
    return true;
  }

  /**
   * Into a store that is far away a file takes minutes. Whoever asks this process meanwhile waits for the same move, and
   * the lease keeps the sweeps of all others off. Two moves of one file do no harm; they only cost.
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
      // One that cannot be given back runs out by itself.
      await this.leases.release(upload, token).catch(() => undefined);
    }
  }

  /** Another finisher may be doing it at this moment: then it is in the store already. */
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
      await execute(sql, statements.RECORD_SOURCE, { accountId, key, videoId, sizeBytes, wanted });
      if (!wanted) return;
      await execute(sql, statements.TAKE_SOURCE, { accountId, videoId, sourceKey: key, sizeBytes });
      await this.deps.jobs.enqueueMeasureUpload(sql, { accountId, videoId });
    });
  }

  /** The bytes first: a crash after it leaves a row that the next sweep removes, never bytes nobody knows. */
  private async remove(upload: UploadRef & { videoId: string }): Promise<void> {
    await this.deps.staging.remove(upload);
    await this.deps.db.transaction(async ({ sql }) => {
      await execute(sql, statements.LOCK_VIDEO, { accountId: upload.accountId, videoId: upload.videoId });
      const removed = await execute(sql, statements.REMOVE, { accountId: upload.accountId, uploadId: upload.uploadId });
      if (removed.length > 0)
        await execute(sql, statements.AWAIT_AGAIN, { accountId: upload.accountId, videoId: upload.videoId });
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

/** What failed first says what is wrong; thousands of the same say no more. */
const KEPT_FAILURES = 10;

/**
 * Handles one after the other. One that fails does not keep those behind it.
 *
 * @returns for how many of them `handle` said that there was something to do.
 * @throws AggregateError at the end, with the first failures.
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
