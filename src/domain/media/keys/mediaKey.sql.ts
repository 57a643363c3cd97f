import { type Statement, statement } from '../../../db/sql.js';

/** Without its keys, nobody can read what is still stored of the video, not even from a copy. */
export const REMOVE_MEDIA_KEYS = statement<{ accountId: string; videoId: string }>(
  'video-remove-media-keys',
  'delete from media_key where account_id = :accountId and video_id = :videoId returning key_index',
);

/** Stores the key sealed under a new master key, unless it changed in the meantime. */
export const REPLACE_MEDIA_KEY: Statement = {
  name: 'rewrap-media-key',
  text: `
    update media_key set master_key_id = $1, sealed = $2
    where sealed = $3 and account_id = $4 and video_id = $5 and attempt = $6 and run = $7 and key_index = $8
    returning 1 as done`,
};
