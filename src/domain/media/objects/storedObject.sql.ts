import { statement } from '../../../db/sql.js';

/** Whether the files of a row of `video` stay, as they do in the bin. */
export const keepsFiles = (video: string): string =>
  `(${video}.deleted_at is null or ${video}.purge_after is not null)`;

export const REMOVE_OBJECTS = statement<{ accountId: string; videoId: string }>(
  'video-remove-objects',
  `
    update stored_object set removed_at = service_now()
    where account_id = :accountId and video_id = :videoId and removed_at is null`,
);

/** Run after CHOOSE_POSTER or LEAVE_POSTER, whose row lock serializes concurrent choices. */
export const REMOVE_POSTERS = statement<{ accountId: string; videoId: string }>(
  'poster-remove-chosen',
  `
    update stored_object set removed_at = service_now()
    where account_id = :accountId and video_id = :videoId and removed_at is null and starts_with(key, 'posters/')`,
);

export const OBJECT_SWEPT = statement<{ accountId: string; key: string }>(
  'leftovers-object-swept',
  'update stored_object set swept_at = service_now() where account_id = :accountId and key = :key',
);

export const INSERT_STORED_OBJECT = statement<{ accountId: string; videoId: string; key: string; sizeBytes: number }>(
  'attempt-insert-stored-object',
  `
    insert into stored_object (account_id, video_id, key, size_bytes, stored_at)
    values (:accountId, :videoId, :key, :sizeBytes, service_now())`,
);

/** What processing made: everything but the source and a poster that the owner chose. */
export const REMOVE_MADE_OBJECTS = statement<{ accountId: string; videoId: string }>(
  'bin-remove-made-objects',
  `
    update stored_object set removed_at = service_now()
    where account_id = :accountId and video_id = :videoId and removed_at is null and starts_with(key, 'videos/')`,
);
