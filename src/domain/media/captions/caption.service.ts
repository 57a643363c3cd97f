import { UniqueConstraintViolationException } from '@mikro-orm/core';

import { type Database, execute, type Sql, type Transaction } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import { actorFor } from '../../shared/actor.js';
import { newId } from '../../shared/ids.js';
import { inTurns } from '../../shared/inTurns.js';
import type { VideoChangeKind } from '../../shared/videoChanges/videoChange.sql.js';
import { SET_CHAPTERS, TAKE_EMBEDDED, TOUCH } from '../library/video.sql.js';
import { Caption as StoredCaption } from './caption.entity.js';
import { INSERT, LOCK_VIDEO, type LockedVideo } from './caption.sql.js';
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
    await this.change(accountId, videoId, 'video.captions', async ({ sql, em }) => {
      // Uploading a track with the same label again replaces it.
      await em().nativeDelete(StoredCaption, { accountId, videoId, label });
      const inserted = await execute(sql, INSERT, {
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
    const wanted = {
      ...(changes.language != null && { language: checkedLanguage(changes.language) }),
      ...(changes.label != null && { label: checkedLabel(changes.label) }),
      ...(changes.isForced != null && { isForced: changes.isForced }),
      ...(changes.isSdh != null && { isSdh: changes.isSdh }),
    };
    await this.change(accountId, videoId, 'video.captions', async ({ em }) => {
      const updated = await em()
        .nativeUpdate(StoredCaption, { accountId, videoId, id: captionId }, wanted)
        .catch((error: unknown) => {
          if (!(error instanceof UniqueConstraintViolationException)) throw error;
          throw new AppError('INVALID_INPUT', 'Another track of this video has this label.');
        });
      if (updated === 0) throw noSuchCaption();
    });
  }

  /** @throws VIDEO_NOT_FOUND, NOT_FOUND */
  async delete(accountId: string, videoId: string, captionId: string): Promise<void> {
    await this.change(accountId, videoId, 'video.captions', async ({ em }) => {
      const deleted = await em().nativeDelete(StoredCaption, { accountId, videoId, id: captionId });
      if (deleted === 0) throw noSuchCaption();
    });
  }

  /** Replaces all chapters; an empty list removes them. @throws VIDEO_NOT_FOUND, INVALID_INPUT */
  async setChapters(
    accountId: string,
    videoId: string,
    chapters: readonly { readonly startSeconds: number; readonly title: string }[],
  ): Promise<void> {
    await this.change(accountId, videoId, 'video.chapters', async ({ sql }, video) => {
      const checked = checkedChapters(chapters, video.duration_ms === null ? null : Number(video.duration_ms));
      const kept = withOrigins(checked, video.chapters);
      await execute(sql, SET_CHAPTERS, { accountId, videoId, chapters: JSON.stringify(kept) });
    });
  }

  /** The tracks of each video, in the order of the ids. */
  async list(accountId: string, videoIds: readonly string[]): Promise<Caption[][]> {
    const found = await this.db.em().find(
      StoredCaption,
      { accountId, videoId: { $in: [...videoIds] } },
      // In the order of player menus.
      { exclude: ['vtt'], orderBy: { videoId: 'asc', createdAt: 'asc', label: 'asc' } },
    );
    const byVideo = Map.groupBy(found, (caption) => caption.videoId);
    return videoIds.map((videoId) => (byVideo.get(videoId) ?? []).map(captionOf));
  }

  private change(
    accountId: string,
    videoId: string,
    kind: VideoChangeKind,
    change: (tx: Transaction, video: LockedVideo) => Promise<void>,
  ): Promise<void> {
    return this.db.transaction(async (tx) => {
      const { sql } = tx;
      const [video] = await execute(sql, LOCK_VIDEO, { accountId, videoId });
      if (!video) throw new AppError('VIDEO_NOT_FOUND', 'Video not found.');
      await change(tx, video);
      await execute(sql, TOUCH, { ...actorFor(accountId), accountId, videoId, kind });
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
  const taken = await execute(sql, TAKE_EMBEDDED, { accountId, videoId, chapters: JSON.stringify(chapters) });
  if (taken.length === 0) return;
  for (const caption of captions.captions) {
    // Skips a track if its label is taken, or if the video has too many.
    await execute(sql, INSERT, { accountId, videoId, id: newId(), origin: 'source', ...caption });
  }
}

/** @returns how many there were */
export function deleteCaptions(tx: Transaction, accountId: string, videoId: string): Promise<number> {
  return tx.em().nativeDelete(StoredCaption, { accountId, videoId });
}

function captionOf(stored: Caption): Caption {
  const { id, language, label, origin, isForced, isSdh, sizeBytes, createdAt } = stored;
  return { id, language, label, origin, isForced, isSdh, sizeBytes, createdAt };
}

function noSuchCaption(): AppError {
  return new AppError('NOT_FOUND', 'Caption track not found.');
}
