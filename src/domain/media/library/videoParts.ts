import type { Database } from '../../../db/sql.js';
import { RENDITION_QUALITIES } from '../../../ports/transcoder.js';
import { Processing } from '../pipeline/processing.entity.js';
import { Rendition } from './rendition.entity.js';
import { Upload } from '../uploads/upload.entity.js';

/** An upload that waits for bytes. */
export interface OpenUpload {
  readonly uploadId: string;
  readonly sizeBytes: number;
  readonly expiresAt: Date;
}

/** A video as it was read. */
export interface VideoAttempt {
  readonly uuid: string;
  readonly attempt: number;
}

/** Data of videos from other tables, read for many videos at once. Results are in the order of the ids. */
export class VideoPartsService {
  constructor(private readonly db: Database) {}

  /** Best first; empty if a video has none. */
  async renditions(accountId: string, videoIds: readonly string[]): Promise<Rendition[][]> {
    const rows = await this.db.em().find(Rendition, { accountId, videoId: { $in: [...videoIds] } });
    const best = RENDITION_QUALITIES.toReversed() as string[];
    rows.sort((a, b) => best.indexOf(a.quality) - best.indexOf(b.quality) || a.track - b.track);
    const byVideo = new Map<string, Rendition[]>(videoIds.map((id) => [id, []]));
    for (const row of rows) byVideo.get(row.videoId)?.push(row);
    return videoIds.map((id) => byVideo.get(id) ?? []);
  }

  /**
   * The attempt that each video was at when it was read, so that its status and its processing belong together even if
   * it was bought meanwhile. Null for attempt 0: it was never bought.
   */
  async processing(accountId: string, videos: readonly VideoAttempt[]): Promise<(Processing | null)[]> {
    const bought = videos.filter(({ attempt }) => attempt > 0);
    if (bought.length === 0) return videos.map(() => null);
    const rows = await this.db.em().find(Processing, {
      accountId,
      videoId: { $in: bought.map(({ uuid }) => uuid) },
      attempt: { $in: [...new Set(bought.map(({ attempt }) => attempt))] },
    });
    const found = new Map(rows.map((row) => [`${row.videoId}/${row.attempt}`, row]));
    return videos.map(({ uuid, attempt }) => found.get(`${uuid}/${attempt}`) ?? null);
  }

  /** The upload that each video waits for, or null. */
  async openUploads(accountId: string, videoIds: readonly string[]): Promise<(OpenUpload | null)[]> {
    const rows = await this.db.em().find(Upload, { accountId, videoId: { $in: [...videoIds] }, finishedAt: null });
    const byVideo = new Map(
      rows.map(({ videoId, id, sizeBytes, expiresAt }) => [
        videoId,
        { uploadId: id, sizeBytes: Number(sizeBytes ?? 0), expiresAt },
      ]),
    );
    return videoIds.map((id) => byVideo.get(id) ?? null);
  }
}
