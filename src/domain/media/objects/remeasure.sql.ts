import { type NoParams, statement } from '../../../db/sql.js';
import { keepsFiles } from './storedObject.sql.js';

/** Rows per page; the walk holds at most one page. */
export const ROWS_PER_PAGE = 1000;

/** What should be under `:root` (`posters`, `sources` or `videos`), in the order in which a store lists its keys. */
export const LIVE_ROWS = statement<
  { root: string; afterAccount: string; afterKey: string },
  { account_id: string; key: string; size_bytes: string }
>(
  'storage-measure-live-rows',
  `
    select account_id, key, size_bytes from stored_object
    where removed_at is null and (account_id, key collate "C") > (:afterAccount::uuid, :afterKey::text)
      and starts_with(key, :root::text || '/' || account_id || '/')
    order by account_id, key collate "C" limit ${ROWS_PER_PAGE}`,
);

export const ANY_LIVE_ROW = statement(
  'storage-measure-any-live-row',
  `select true as any from stored_object where removed_at is null limit 1`,
);

/** Whether a rendition of video `v` is under a prefix. */
export const PLAYS_FROM = (prefix: string): string => `exists (
        select from rendition r where r.account_id = v.account_id and r.video_id = v.id and r.prefix = ${prefix})`;

/**
 * Locks the row that publishing, deleting and uploading again wait for. Says whether the video needs the group, and
 * whether a run still writes to it or the sweep still removes from it.
 */
export const LOCK_VIDEO = statement<
  { accountId: string; videoId: string; group: string },
  { wanted: boolean | null; busy: boolean }
>(
  'storage-measure-lock-video',
  `
    select v.source_key = :group or v.poster_key = :group or v.pictures_prefix = :group or ${PLAYS_FROM(':group')} as wanted, exists (
      select from processing_output o
      join processing p on p.account_id = o.account_id and p.video_id = o.video_id and p.attempt = o.attempt
      where o.account_id = v.account_id and o.video_id = v.id and o.prefix = :group
        and (o.sweep_after is not null or p.state in ('queued', 'running'))) as busy
    from video v
    where v.account_id = :accountId and v.id = :videoId and ${keepsFiles('v')} for no key update of v`,
);

/** All characters of keys sort before the tilde. A group of a single object has that object's key. */
export const IN_GROUP = `account_id = :accountId and key collate "C" between :group and :group || '~'
  and (key = :group or :group like '%/')`;

export const GROUP_ROWS = statement<{ accountId: string | null; group: string }, { key: string; size_bytes: string }>(
  'storage-measure-group-rows',
  `select key, size_bytes from stored_object where ${IN_GROUP} and removed_at is null`,
);

/** One time for everything wrong in a group, so that at each instant exactly one row per key counts. */
export const FOUND_AT = statement<NoParams, { now: string }>('storage-measure-found-at', 'select service_now() as now');

/** Closes the row without sweeping, because nobody asked to delete the object. */
export const CLOSE_ROW = statement<{ accountId: string; key: string; removedAt: string }>(
  'storage-measure-close-row',
  `
    update stored_object set removed_at = :removedAt, swept_at = :removedAt
    where account_id = :accountId and key = :key and removed_at is null`,
);

export const OPEN_ROW = statement<{
  accountId: string;
  key: string;
  videoId: string;
  sizeBytes: bigint;
  storedAt: string;
}>(
  'storage-measure-open-row',
  `
    insert into stored_object (account_id, key, video_id, size_bytes, stored_at, generation)
    select :accountId, :key, :videoId, :sizeBytes, :storedAt::timestamptz, coalesce(max(generation) + 1, 0) from stored_object
    where account_id = :accountId and key = :key`,
);
