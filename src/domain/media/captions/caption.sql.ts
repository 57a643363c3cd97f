import { type Statement, statement } from '../../../db/sql.js';
import { CAPTION_LIMITS } from './cue.js';

/* `$1 account, $2 video` throughout. Whatever changes a video's texts locks the video first, so they take turns. */

export const LOCK_VIDEO: Statement = {
  name: 'caption-lock-video',
  text: `
    select duration_ms, chapters from video where account_id = $1 and id = $2 and deleted_at is null for no key update`,
};

/** `$3` label: whoever sends a track again means the new one. */
export const DELETE_LABEL: Statement = {
  name: 'caption-delete-label',
  text: 'delete from caption where account_id = $1 and video_id = $2 and label = $3',
};

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

/** Nothing comes back where there are too many already. */
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

/** `$3` id; `$4` language, `$5` label, `$6` whether forced and `$7` whether for the deaf stay as they are where null. */
export const UPDATE: Statement = {
  name: 'caption-update',
  text: `
    update caption set language = coalesce($4, language), label = coalesce($5, label),
      is_forced = coalesce($6, is_forced), is_sdh = coalesce($7, is_sdh)
    where account_id = $1 and video_id = $2 and id = $3
      and not exists (
        select from caption other
        where other.account_id = $1 and other.video_id = $2 and other.id <> $3 and other.label = $5)
    returning id`,
};

export const DELETE: Statement = {
  name: 'caption-delete',
  text: 'delete from caption where account_id = $1 and video_id = $2 and id = $3 returning id',
};

export const DELETE_ALL: Statement = {
  name: 'caption-delete-all',
  text: 'delete from caption where account_id = $1 and video_id = $2 returning id',
};

export const EXISTS: Statement = {
  name: 'caption-exists',
  text: 'select id from caption where account_id = $1 and video_id = $2 and id = $3',
};

/** `$2` videos. In the order in which menus show them. */
export const LIST: Statement = {
  name: 'caption-list',
  text: `
    select video_id, id, language, label, origin, is_forced, is_sdh, size_bytes, created_at from caption
    where account_id = $1 and video_id = any($2::uuid[])
    order by video_id, created_at, label`,
};
