import type { LockedVideo, CaptionRow } from './caption.sql.js';
import { type Database, execute, type Sql } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import { newId } from '../../shared/ids.js';
import { inTurns } from '../../shared/inTurns.js';
import { SET_CHAPTERS, TAKE_TEXTS, TOUCH } from '../library/video.sql.js';
import * as statements from './caption.sql.js';
import { checkedChapters, withOrigins } from './chapters.js';
import { CAPTION_LIMITS } from './cue.js';
import { checkedLabel, checkedLanguage } from './language.js';
import { readCaptions } from './parseCaptions.js';
import type { SourceCaptions } from './sourceCaptions.js';
import { writeCaptions } from './writeVtt.js';

/** A caption track as its owner sees it. */
export interface Caption {
  /** UUID */
  readonly id: string;
  /** BCP 47; 'und' if the file did not say. */
  readonly language: string;
  /** Unique within its video. */
  readonly label: string;
  /** Extracted from the source, or uploaded by the owner. */
  readonly origin: 'source' | 'upload';
  /** Forced subtitles: only lines that must be read. */
  readonly isForced: boolean;
  /** For the deaf and hard of hearing. */
  readonly isSdh: boolean;
  readonly sizeBytes: number;
  readonly createdAt: Date;
}

/** Captions and chapters of an account's videos. Changes apply from the next view on, whatever the video's status. */
export class CaptionService {
  constructor(private readonly db: Database) {}

  /**
   * Adds a track, or replaces the one with the same label.
   *
   * @param file SRT or WebVTT, decoded from UTF-8
   * @throws VIDEO_NOT_FOUND; INVALID_INPUT naming the line; LIMIT_REACHED
   */
  async upload(
    accountId: string,
    videoId: string,
    file: {
      language: string;
      label: string;
      text: string;
      isForced?: boolean | null | undefined;
      isSdh?: boolean | null | undefined;
    },
  ): Promise<void> {
    const language = checkedLanguage(file.language);
    const label = checkedLabel(file.label);
    const cues = await inTurns(readCaptions(file.text));
    const vtt = await inTurns(writeCaptions(cues));
    if (Buffer.byteLength(vtt) > CAPTION_LIMITS.storedBytes) {
      throw new AppError('INVALID_INPUT', 'These captions are too long.');
    }
    await this.change(accountId, videoId, async (sql) => {
      await execute(sql, statements.DELETE_LABEL, { accountId, videoId, label });
      const inserted = await execute(sql, statements.INSERT, {
        accountId,
        videoId,
        id: newId(),
        language,
        label,
        origin: 'upload',
        vtt,
        isForced: file.isForced ?? false,
        isSdh: file.isSdh ?? false,
      });
      if (inserted.length === 0) {
        throw new AppError('LIMIT_REACHED', `A video has at most ${CAPTION_LIMITS.tracks} caption tracks.`);
      }
    });
  }

  /** Omitted or null fields stay as they are. @throws VIDEO_NOT_FOUND, NOT_FOUND, INVALID_INPUT */
  async update(
    accountId: string,
    videoId: string,
    captionId: string,
    changes: {
      language?: string | null | undefined;
      label?: string | null | undefined;
      isForced?: boolean | null | undefined;
      isSdh?: boolean | null | undefined;
    },
  ): Promise<void> {
    const language = changes.language == null ? null : checkedLanguage(changes.language);
    const label = changes.label == null ? null : checkedLabel(changes.label);
    await this.change(accountId, videoId, async (sql) => {
      const { isForced = null, isSdh = null } = changes;

      const updated = await execute(sql, statements.UPDATE, {
        accountId,
        videoId,
        captionId,
        language,
        label,
        isForced,
        isSdh,
      });
      if (updated.length > 0) return;
      const known = await execute(sql, statements.EXISTS, { accountId, videoId, captionId });
      if (known.length === 0) throw noSuchCaption();
      throw new AppError('INVALID_INPUT', 'Another track of this video has this label.');
    });
  }

  /** @throws VIDEO_NOT_FOUND, NOT_FOUND */
  async delete(accountId: string, videoId: string, captionId: string): Promise<void> {
    await this.change(accountId, videoId, async (sql) => {
      const deleted = await execute(sql, statements.DELETE, { accountId, videoId, captionId });
      if (deleted.length === 0) throw noSuchCaption();
    });
  }

  /** Replaces all chapters; an empty list removes them. @throws VIDEO_NOT_FOUND, INVALID_INPUT */
  async setChapters(
    accountId: string,
    videoId: string,
    chapters: readonly { readonly startSeconds: number; readonly title: string }[],
  ): Promise<void> {
    await this.change(accountId, videoId, async (sql, video) => {
      const checked = checkedChapters(chapters, video.duration_ms === null ? null : Number(video.duration_ms));
      const kept = withOrigins(checked, video.chapters);
      await execute(sql, SET_CHAPTERS, { accountId, videoId, chapters: JSON.stringify(kept) });
    });
  }

  /** The tracks of each video, in the order of the ids. */
  async list(accountId: string, videoIds: readonly string[]): Promise<Caption[][]> {
    const rows = await execute(this.db.sql, statements.LIST, { accountId, videoIds });
    const byVideo = Map.groupBy(rows, (row) => row.video_id);
    return videoIds.map((videoId) => (byVideo.get(videoId) ?? []).map(captionOf));
  }

  private change(
    accountId: string,
    videoId: string,
    change: (sql: Sql, video: LockedVideo) => Promise<void>,
  ): Promise<void> {
    return this.db.transaction(async ({ sql }) => {
      const [video] = await execute(sql, statements.LOCK_VIDEO, { accountId, videoId });
      if (!video) throw new AppError('VIDEO_NOT_FOUND', 'Video not found.');
      await change(sql, video);
      await execute(sql, TOUCH, { accountId, videoId });
    });
  }
}

/**
 * Takes over the captions and chapters of a source, in the transaction that publishes the video and holds its lock.
 * Runs once per video, so what the owner deleted or renamed does not come back with the next processing.
 */
export async function takeSourceCaptions(
  sql: Sql,
  { accountId, videoId }: { accountId: string; videoId: string },
  captions: SourceCaptions,
): Promise<void> {
  const chapters = captions.chapters.map((chapter) => ({ ...chapter, origin: 'source' as const }));
  const taken = await execute(sql, TAKE_TEXTS, { accountId, videoId, chapters: JSON.stringify(chapters) });
  if (taken.length === 0) return;
  for (const caption of captions.captions) {
    // Skips a track if its label is taken, or if the video has too many.
    await execute(sql, statements.INSERT, { accountId, videoId, id: newId(), origin: 'source', ...caption });
  }
}

function captionOf(row: CaptionRow): Caption {
  const { id, language, label, origin, is_forced: isForced, is_sdh: isSdh } = row;
  const createdAt = new Date(row.created_at);
  return { id, language, label, origin, isForced, isSdh, sizeBytes: row.size_bytes, createdAt };
}

function noSuchCaption(): AppError {
  return new AppError('NOT_FOUND', 'Caption track not found.');
}
