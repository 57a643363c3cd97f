import { execute, type Sql, statement } from '../../../db/sql.js';

/** Whether the files of a row of `video` stay, as they do in the bin. */
export const keepsFiles = (video: string): string =>
  `(${video}.deleted_at is null or ${video}.purge_after is not null)`;

/**
 * Part of a statement: what is stored of the videos in `videos`, the name of a query with their `account_id` and `id`, is
 * gone from now on.
 */
export const removeObjectsOf = (
  videos: string,
): string => `update stored_object o set removed_at = service_now() from ${videos} r
      where o.account_id = r.account_id and o.video_id = r.id and o.removed_at is null`;

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

/** Records an unwanted source as removed, so that the sweep deletes it. */
export const RECORD_SOURCE = statement<{
  accountId: string;
  key: string;
  videoId: string;
  sizeBytes: number;
  wanted: boolean;
}>(
  'upload-record-source',
  `
    insert into stored_object (account_id, key, video_id, size_bytes, stored_at, removed_at)
    values (:accountId, :key, :videoId, :sizeBytes, service_now(), case when :wanted::boolean then null else service_now() end)
    on conflict do nothing`,
);

const NOW = 'to_timestamp(:now::float8 / 1000)';

/**
 * Moves the storage times that a fast clock set in the future back to now. Scans the whole table, which is fine because
 * only a person triggers it.
 */
const MEND_STORED = statement<{ now: number }>(
  'clock-mend-stored',
  `
    update stored_object set stored_at = least(stored_at, ${NOW}),
      removed_at = case when removed_at is not null then least(removed_at, ${NOW}) end
    where stored_at > ${NOW} or removed_at > ${NOW}`,
);

/** Run when a person accepts the clock; `nowMs` is its time. */
export async function mendStoredTimes(sql: Sql, nowMs: number): Promise<void> {
  await execute(sql, MEND_STORED, { now: nowMs });
}
