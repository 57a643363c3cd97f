import type { Chapter } from './chapters.js';
import { statement } from '../../../db/sql.js';
import { CAPTION_LIMITS } from './cue.js';

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
