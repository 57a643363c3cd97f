import type { Chapter } from './chapters.js';
import { statement } from '../../../db/sql.js';
import { CAPTION_LIMITS } from './cue.js';

export interface CaptionRow {
  video_id: string;
  id: string;
  language: string;
  label: string;
  origin: 'upload' | 'source';
  is_forced: boolean;
  is_sdh: boolean;
  size_bytes: number;
  created_at: string;
}

export interface LockedVideo {
  duration_ms: string | null;
  chapters: Chapter[];
}

/* Everything that changes a video's captions or chapters locks the video first, so changes are serialized. */

export const LOCK_VIDEO = statement<{ accountId: string; videoId: string }, LockedVideo>(
  'caption-lock-video',
  `
    select duration_ms, chapters from video where account_id = :accountId and id = :videoId and deleted_at is null for no key update`,
);

/** Uploading a track with the same label again replaces it. */
export const DELETE_LABEL = statement<{ accountId: string; videoId: string; label: string }>(
  'caption-delete-label',
  'delete from caption where account_id = :accountId and video_id = :videoId and label = :label',
);

interface NewCaption {
  readonly accountId: string;
  readonly videoId: string;
  readonly id: string;
  /** BCP 47 */
  readonly language: string;
  readonly label: string;
  readonly origin: 'upload' | 'source';
  readonly vtt: string;
  readonly isForced: boolean;
  /** For the deaf and hard of hearing. */
  readonly isSdh: boolean;
}

/** Returns no row if there are too many already. */
export const INSERT = statement<NewCaption, { id: string }>(
  'caption-insert',
  `
    insert into caption (account_id, video_id, id, language, label, origin, vtt, is_forced, is_sdh, size_bytes,
      created_at)
    select :accountId::uuid, :videoId::uuid, :id, :language, :label, :origin, :vtt::text, :isForced, :isSdh,
      octet_length(:vtt::text), service_now()
    where (
      select count(*) from caption where account_id = :accountId and video_id = :videoId) < ${CAPTION_LIMITS.tracks}
    on conflict (account_id, video_id, label) do nothing
    returning id`,
);

/** Null fields stay as they are. */
export const UPDATE = statement<{
  accountId: string;
  videoId: string;
  captionId: string;
  language: string | null;
  label: string | null;
  isForced: boolean | null;
  isSdh: boolean | null;
}>(
  'caption-update',
  `
    update caption set language = coalesce(:language, language), label = coalesce(:label, label),
      is_forced = coalesce(:isForced, is_forced), is_sdh = coalesce(:isSdh, is_sdh)
    where account_id = :accountId and video_id = :videoId and id = :captionId
      and not exists (
        select from caption other
        where other.account_id = :accountId and other.video_id = :videoId and other.id <> :captionId and other.label = :label)
    returning id`,
);

export const DELETE = statement<{ accountId: string; videoId: string; captionId: string }>(
  'caption-delete',
  'delete from caption where account_id = :accountId and video_id = :videoId and id = :captionId returning id',
);

export const DELETE_ALL = statement<{ accountId: string; videoId: string }>(
  'caption-delete-all',
  'delete from caption where account_id = :accountId and video_id = :videoId returning id',
);

export const EXISTS = statement<{ accountId: string; videoId: string; captionId: string }>(
  'caption-exists',
  'select id from caption where account_id = :accountId and video_id = :videoId and id = :captionId',
);

/** In the order of player menus. */
export const LIST = statement<{ accountId: string; videoIds: readonly string[] }, CaptionRow>(
  'caption-list',
  `
    select video_id, id, language, label, origin, is_forced, is_sdh, size_bytes, created_at from caption
    where account_id = :accountId and video_id = any(:videoIds::uuid[])
    order by video_id, created_at, label`,
);
