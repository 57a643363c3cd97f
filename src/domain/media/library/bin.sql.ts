import { type NoParams, statement } from '../../../db/sql.js';
import { isTestAccount } from '../../accounts/testMode/testAccount.sql.js';
import { NOW_ONCE } from '../../shared/clock/now.js';
import { notifyVideo } from '../../shared/liveNotice.js';
import { type ByActor, recordVideoChange } from '../../shared/videoChanges/videoChange.sql.js';
import { NOTHING_LEFT } from './video.sql.js';
import type { VideoStatus } from './video.entity.js';
import { videoEvent } from './videoEvents.js';
import { VIDEO_LIMITS } from './videoInput.js';
import { AS_BEFORE_PURCHASE } from './videoState.sql.js';

/** How long a deleted video can be restored. */
const BIN_DAYS = 7;

interface VideoKey {
  readonly accountId: string;
  readonly videoId: string;
}

/** The row lock that orders everything about this video. */
export const LOCK = statement<VideoKey, { status: VideoStatus; is_test: boolean }>(
  'bin-lock',
  `
    select status, ${isTestAccount('video.account_id')} as is_test from video
    where account_id = :accountId and id = :videoId and deleted_at is null for no key update`,
);

/** Hides the video from everyone, as deleting does, and keeps what it has. */
export const PUT = statement<ByActor & VideoKey>(
  'bin-put',
  `
    update video set deleted_at = t.now, purge_after = t.now + interval '${BIN_DAYS} days', deletions = deletions + 1,
      updated_at = t.now
    from (select service_now() as now) t
    where account_id = :accountId and id = :videoId and deleted_at is null
    returning ${notifyVideo('account_id', 'id')}, ${videoEvent('video.deleted', 'deletions')},
      ${recordVideoChange('video.deleted')}`,
);

/**
 * Its purchase is returned, so nothing that was made of it plays. The video is as it was before the purchase, but waits
 * for its owner: what was chosen beforehand is bought once.
 */
export const UNDO_PURCHASE = statement<VideoKey>(
  'bin-undo-purchase',
  `
    with made as (
      delete from rendition where account_id = :accountId and video_id = :videoId
    )
    update video set ${AS_BEFORE_PURCHASE}, playable_rungs = '{}', pictures_prefix = null, storyboard_path = null,
      trick_play = null, preview_path = null, poster_path = case when poster_key is null then null else poster_path end,
      auto_process = false
    where account_id = :accountId and id = :videoId`,
);

/** A video that is due cannot be restored any more, whether it is purged yet or not. */
const IN_BIN = 'account_id = :accountId and purge_after > service_now()';

export const LOCK_IN_BIN = statement<VideoKey>(
  'bin-lock-restorable',
  `select id from video where ${IN_BIN} and id = :videoId for no key update`,
);

/**
 * Returns no row if too many videos of the account are not bought: otherwise creating and deleting would be a way around
 * that limit. Locks the count after the video, in the order of the video's trigger.
 */
export const RESTORE = statement<ByActor & VideoKey>(
  'bin-restore',
  `
    update video set deleted_at = null, purge_after = null, updated_at = service_now()
    where account_id = :accountId and id = :videoId and purge_after is not null
      and (status not in ('uploaded', 'failed') or coalesce((
        select awaiting_upload + uploading + uploaded + failed < ${VIDEO_LIMITS.unprocessed}
        from video_count where account_id = :accountId for no key update), true))
    returning ${notifyVideo('account_id', 'id')}, ${videoEvent('video.restored', 'deletions')},
      ${recordVideoChange('video.restored')}`,
);

/** From the bin for good. `:ifDue` leaves a video that can still be restored. */
export const PURGE = statement<VideoKey & { ifDue: boolean }>(
  'bin-purge',
  `
    update video set deleted_at = service_now(), purge_after = null, updated_at = service_now(), ${NOTHING_LEFT}
    where account_id = :accountId and id = :videoId and purge_after is not null
      and (not :ifDue::boolean or purge_after <= service_now())
    returning ${notifyVideo('account_id', 'id')}`,
);

/** Videos of one page, and of one pass of the nightly purge. */
export const BATCH = 100;

export const DUE = statement<NoParams, { account_id: string; id: string }>(
  'bin-due',
  `
    select account_id, id from video where purge_after <= ${NOW_ONCE}
    order by purge_after, id limit ${BATCH}`,
);

/** The service's time for the first call that empties a bin, in whole milliseconds, rounded up. */
export const NOW = statement<NoParams, { now: string }>(
  'bin-now',
  `select date_trunc('milliseconds', service_now() + interval '1 millisecond')::text as now`,
);

/** Of one account, oldest first: what was deleted until `:until`. */
const UNTIL = 'account_id = :accountId and purge_after is not null and deleted_at <= :until';

export const OLDEST = statement<{ accountId: string; until: Date }, { id: string }>(
  'bin-oldest',
  `select id from video where ${UNTIL} order by deleted_at, id limit ${BATCH}`,
);

export const COUNT_UNTIL = statement<{ accountId: string; until: Date }, { videos: string }>(
  'bin-count-until',
  `select count(*)::text as videos from video where ${UNTIL}`,
);

export interface BinTotalsRow {
  readonly videos: string;
  readonly stored_bytes: string;
}

/** What all videos in the bin occupy. */
export const TOTALS = statement<{ accountId: string }, BinTotalsRow>(
  'bin-totals',
  `
    select count(distinct v.id)::text as videos, coalesce(sum(o.size_bytes), 0)::text as stored_bytes
    from video v
    left join stored_object o on o.account_id = v.account_id and o.video_id = v.id and o.removed_at is null
    where v.account_id = :accountId and v.purge_after > service_now()`,
);

export interface BinRow {
  readonly id: string;
  readonly title: string;
  readonly status: VideoStatus;
  readonly duration_ms: string | null;
  readonly deleted_at: string;
  readonly purge_after: string;
  readonly stored_bytes: string;
  /** Opaque; for `after`. */
  readonly cursor: string;
}

/** Newest first. A cursor is the time in microseconds and the id. */
export const PAGE = statement<
  { accountId: string; afterMicros: string | null; afterId: string; first: number },
  BinRow
>(
  'bin-page',
  `
    select v.id, v.title, v.status, v.duration_ms, v.deleted_at, v.purge_after, (
        select coalesce(sum(o.size_bytes), 0) from stored_object o
        where o.account_id = v.account_id and o.video_id = v.id and o.removed_at is null)::text as stored_bytes,
      (extract(epoch from v.deleted_at) * 1000000)::bigint || '.' || v.id as cursor
    from video v
    where v.account_id = :accountId and v.purge_after > service_now()
      and (:afterMicros::bigint is null or (v.deleted_at, v.id)
        < (timestamptz 'epoch' + :afterMicros::bigint * interval '1 microsecond', :afterId::uuid))
    order by v.deleted_at desc, v.id desc limit :first`,
);
