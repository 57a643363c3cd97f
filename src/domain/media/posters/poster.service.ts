import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';

import { type Database, execute, statement } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import type { ObjectStore } from '../../../ports/objectStore.js';
import { UnusablePictureError, type PosterTools } from '../../../ports/posters.js';
import { TranscoderUnavailableError } from '../../../ports/transcoder.js';
import { actorFor } from '../../shared/actor.js';
import { DrawingTurns } from '../../shared/drawingTurns.js';
import type { MediaKeyService } from '../keys/mediaKeys.service.js';
import { posterPathOf } from '../pipeline/publication.js';
import { videoAround, placeOf, readPlaylist } from './moment.js';
import { CHOOSE_POSTER, LEAVE_POSTER } from '../library/video.sql.js';
import { INSERT_STORED_OBJECT, REMOVE_POSTERS } from '../objects/storedObject.sql.js';

interface FoundVideo {
  readonly duration_ms: string | null;
  readonly plays: boolean;
  readonly renditions: readonly { readonly prefix: string; readonly path: string; readonly longSide: number }[];
}

/** Tells whether the video exists. Lists its playable pictures, smallest first. */
const FIND = statement<{ accountId: string; videoId: string }, FoundVideo>(
  'poster-find',
  `
    select v.duration_ms, cardinality(v.playable_rungs) > 0 as plays, (
      select coalesce(json_agg(json_build_object('prefix', r.prefix, 'path', r.path,
        'longSide', greatest(r.width, r.height)) order by r.width * r.height), '[]')
      from rendition r
      where r.account_id = v.account_id and r.video_id = v.id and r.quality = any (v.playable_rungs)
        and r.width is not null
    ) as renditions
    from video v where v.account_id = :accountId and v.id = :videoId and v.deleted_at is null`,
);

export const MAX_PICTURE_BYTES = 5 * 1024 ** 2;

/** The smallest rendition at least this wide is good enough for a poster. */
const ENOUGH_PIXELS = 1280;

export interface PosterDeps {
  readonly db: Database;
  readonly store: ObjectStore;
  readonly mediaKeys: Pick<MediaKeyService, 'find'>;
  readonly tools: PosterTools;
}

/**
 * The posters that owners choose. Each has its own key and address, so that no cache shows an old one; the previous one
 * is swept. Posters are public, even those of encrypted videos.
 */
export class PosterService {
  private readonly turns = new DrawingTurns('poster');

  constructor(private readonly deps: PosterDeps) {}

  /**
   * Makes a moment of the playable video its poster.
   *
   * @throws VIDEO_NOT_FOUND; INVALID_STATE while no picture is playable; INVALID_INPUT for a moment outside the video;
   * RATE_LIMIT_EXCEEDED, SERVICE_UNAVAILABLE
   */
  takeMoment(accountId: string, videoId: string, atMs: number): Promise<void> {
    return this.turns.take(accountId, async () => {
      await this.publish(accountId, videoId, await drawn(this.drawMoment(accountId, videoId, atMs)));
    });
  }

  /**
   * Makes an uploaded JPEG or PNG, redrawn, the poster.
   *
   * @param read gives the file; called once it will be drawn
   * @throws VIDEO_NOT_FOUND; INVALID_STATE while nothing of the video is playable; INVALID_INPUT, FILE_TOO_LARGE;
   * RATE_LIMIT_EXCEEDED, SERVICE_UNAVAILABLE
   */
  takePicture(accountId: string, videoId: string, read: () => Promise<Uint8Array>): Promise<void> {
    return this.turns.take(accountId, async () => {
      if (!(await this.find(accountId, videoId)).plays) {
        throw new AppError('INVALID_STATE', 'Video not playable yet.');
      }
      const bytes = await read();
      if (bytes.length > MAX_PICTURE_BYTES) throw pictureTooLarge();
      await this.publish(accountId, videoId, await drawn(this.deps.tools.drawUpload(bytes)));
    });
  }

  /** Returns to the poster that processing chose. @throws VIDEO_NOT_FOUND */
  leave(accountId: string, videoId: string): Promise<void> {
    return this.deps.db.transaction(async ({ sql }) => {
      const changed = await execute(sql, LEAVE_POSTER, {
        ...actorFor(accountId),
        accountId,
        videoId,
        path: newPath(accountId, videoId),
      });
      if (changed.length > 0) await execute(sql, REMOVE_POSTERS, { accountId, videoId });
      else if ((await execute(sql, FIND, { accountId, videoId })).length === 0) throw notFound();
    });
  }

  private async drawMoment(accountId: string, videoId: string, atMs: number): Promise<Uint8Array> {
    const { duration_ms: durationMs, renditions } = await this.find(accountId, videoId);
    const rendition = renditions.find(({ longSide }) => longSide >= ENOUGH_PIXELS) ?? renditions.at(-1);
    if (!rendition) throw new AppError('INVALID_STATE', 'This video has no playable picture yet.');
    if (!(atMs >= 0) || (durationMs !== null && atMs > Number(durationMs))) {
      throw new AppError('INVALID_INPUT', 'The video is shorter than this time.');
    }
    const { store, mediaKeys, tools } = this.deps;
    const playlistKey = rendition.prefix + rendition.path;
    const place = placeOf(await readPlaylist(store, playlistKey), atMs / 1000);
    if (!place) throw new Error(`${playlistKey} lists no segment`);
    const run = { accountId, videoId, ...runOf(rendition.prefix) };
    const folder = playlistKey.slice(0, playlistKey.lastIndexOf('/') + 1);
    const video = (): Promise<Buffer> => videoAround(store, folder, place, (keyIndex) => mediaKeys.find(run, keyIndex));
    return tools.drawMoment(video, place.seconds);
  }

  private async find(accountId: string, videoId: string): Promise<FoundVideo> {
    const [video] = await execute(this.deps.db.sql, FIND, { accountId, videoId });
    if (!video) throw notFound();
    return video;
  }

  /** Stores the object before any row names it. If a crash happens in between, the nightly walk removes it. */
  private async publish(accountId: string, videoId: string, jpeg: Uint8Array): Promise<void> {
    const { db, store } = this.deps;
    const path = newPath(accountId, videoId);
    const key = `posters/${accountId}/${videoId}/${path.slice(path.lastIndexOf('/') + 1)}`;
    await store.put(key, Readable.from([Buffer.from(jpeg)]), { sizeBytes: jpeg.length });
    const taken = await db.transaction(async ({ sql }) => {
      const changed = await execute(sql, CHOOSE_POSTER, {
        ...actorFor(accountId),
        accountId,
        videoId,
        path,
        posterKey: key,
      });
      if (changed.length === 0) return false;
      await execute(sql, REMOVE_POSTERS, { accountId, videoId });
      await execute(sql, INSERT_STORED_OBJECT, { accountId, videoId, key, sizeBytes: jpeg.length });
      return true;
    });
    if (taken) return;
    await store.delete(key);
    throw notFound();
  }
}

export function pictureTooLarge(): AppError {
  return new AppError('FILE_TOO_LARGE', 'A poster can have at most 5 MB.');
}

/** Maps its errors to the error catalogue. */
async function drawn(poster: Promise<Uint8Array>): Promise<Uint8Array> {
  try {
    return await poster;
  } catch (error) {
    if (error instanceof UnusablePictureError) throw new AppError('INVALID_INPUT', error.message, { cause: error });
    if (!(error instanceof TranscoderUnavailableError)) throw error;
    throw new AppError('SERVICE_UNAVAILABLE', 'Posters can’t be rendered right now.', { cause: error });
  }
}

function newPath(accountId: string, videoId: string): string {
  return posterPathOf({ accountId, videoId }, randomBytes(16).toString('hex'));
}

/** Parses `…/{attempt}-{run}/`. */
function runOf(prefix: string): { attempt: number; run: number } {
  const [, attempt, run] = /\/(\d+)-(\d+)\/$/.exec(prefix) ?? [];
  return { attempt: Number(attempt), run: Number(run) };
}

function notFound(): AppError {
  return new AppError('VIDEO_NOT_FOUND', 'Video not found.');
}
