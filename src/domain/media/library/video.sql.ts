import { type NoParams, statement } from '../../../db/sql.js';
import type { Quality } from '../../../ports/transcoder.js';
import { NOW_ONCE } from '../../shared/clock/now.js';
import { notifyVideo } from '../../shared/liveNotice.js';
import {
  type ByActor,
  recordGivenVideoChange,
  recordVideoChange,
  type VideoChangeKind,
} from '../../shared/videoChanges/videoChange.sql.js';
import { isTestAccount } from '../../accounts/testMode/testAccount.sql.js';
import { movedAfter, movedSecondsOf } from '../../accounts/testMode/testFacts.js';
import { TEST_VIDEO_LIMITS } from '../testMode/testVideoLimits.js';
import { videoEvent } from './videoEvents.js';
import { VIDEO_LIMITS } from './videoInput.js';

export interface NewVideoRow {
  readonly accountId: string;
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly tags: readonly string[];
  /** JSON */
  readonly metadata: string;
  readonly quality: Quality | null;
  readonly branding: boolean;
  readonly encryption: boolean;
  readonly autoProcess: boolean;
  readonly normalizeLoudness: boolean;
}

/** A new video, if its account's counters allow it. They are locked, so that each insert sees the one before. */
const insertIf = (allowed: string): string => `
    insert into video (account_id, id, title, description, tags, metadata, quality, branding, encryption, auto_process,
      normalize_loudness, created_at, updated_at)
    select :accountId::uuid, :id::uuid, :title, :description, :tags::text[], :metadata::jsonb, :quality,
      :branding::boolean, :encryption::boolean, :autoProcess::boolean, :normalizeLoudness::boolean, t.now, t.now
    from (select service_now() as now) t
    where coalesce((select ${allowed} from video_count where account_id = :accountId for no key update), true)
    returning ${notifyVideo('account_id', 'id')}`;

/** Returns no row if too many videos of the account have no file yet, or are not bought. */
export const INSERT = statement<NewVideoRow>(
  'video-insert',
  insertIf(`awaiting_upload + uploading < ${VIDEO_LIMITS.awaitingUpload}
        and awaiting_upload + uploading + uploaded + failed < ${VIDEO_LIMITS.unprocessed}`),
);

/** Returns no row if the test account has as many videos as it may have. */
export const INSERT_TEST = statement<NewVideoRow>(
  'video-insert-test',
  insertIf(
    `awaiting_upload + uploading + uploaded + queued + processing + ready + failed < ${TEST_VIDEO_LIMITS.videos}`,
  ),
);

const WEEK_AGO = `${NOW_ONCE} - interval '${TEST_VIDEO_LIMITS.days} days'`;
/** For a video `v`, by the clock of its account. */
const IS_EXPIRED = `v.is_test and v.deleted_at is null
        and v.created_at <= ${WEEK_AGO} + make_interval(secs => ${movedSecondsOf('v.account_id', 'v.created_at')})`;

/**
 * Oldest first; the next call finds the rest. Reads videos that are a week old, and those of accounts whose clock was moved
 * within the week: nobody can make a video older in another way.
 */
export const EXPIRED_TEST_VIDEOS = statement<NoParams, { account_id: string; id: string }>(
  'video-expired-tests',
  `
    select account_id, id from (
      select v.account_id, v.id, v.created_at from video v
      where v.is_test and v.deleted_at is null and v.created_at <= ${WEEK_AGO}
      union
      select v.account_id, v.id, v.created_at from ${movedAfter(WEEK_AGO)} moved join video v on v.account_id = moved.account_id
      where ${IS_EXPIRED}
    ) expired order by created_at, id limit 1000`,
);

export const EXPIRED_TEST_VIDEOS_OF = statement<{ accountId: string }, { account_id: string; id: string }>(
  'video-expired-tests-of',
  `
    select v.account_id, v.id from video v where v.account_id = :accountId and ${IS_EXPIRED}
    order by v.created_at, v.id`,
);

/** Null fields stay as they are. */
export const UPDATE = statement<
  ByActor & {
    accountId: string;
    videoId: string;
    title: string | null;
    description: string | null;
    tags: readonly string[] | null;
    metadata: string | null;
  }
>(
  'video-update',
  `
    update video set title = coalesce(:title, title), description = coalesce(:description, description),
      tags = coalesce(:tags::text[], tags), metadata = coalesce(:metadata::jsonb, metadata), updated_at = service_now()
    where account_id = :accountId and id = :videoId and deleted_at is null
    returning ${notifyVideo('account_id', 'id')}, ${recordVideoChange('video.details')}`,
);

/** What a video that is deleted for good no longer shows. */
export const NOTHING_LEFT = `playable_rungs = '{}', poster_path = null, storyboard_path = null, trick_play = null,
      preview_path = null, chapters = '[]'`;

/** Hides the video from everyone; the row stays for the books. */
export const DELETE = statement<ByActor & { accountId: string; videoId: string }>(
  'video-delete',
  `
    update video set deleted_at = service_now(), deletions = deletions + 1, updated_at = service_now(), ${NOTHING_LEFT}
    where account_id = :accountId and id = :videoId and deleted_at is null
    returning ${notifyVideo('account_id', 'id')}, ${videoEvent('video.deleted', 'deletions')},
      ${recordVideoChange('video.deleted')}`,
);

/** Most used first. */
export const TAGS = statement<{ accountId: string }, { tag: string; videos: string }>(
  'video-tags',
  `
    select tag, count(*) as videos from video v, unnest(v.tags) as tag
    where v.account_id = :accountId and v.deleted_at is null
    group by tag order by count(*) desc, tag limit ${VIDEO_LIMITS.tagsListed}`,
);

/** Adds and removes tags. Skips videos that would have too many; they are not returned. */
export const CHANGE_TAGS = statement<
  ByActor & { accountId: string; videoIds: readonly string[]; add: readonly string[]; remove: readonly string[] },
  { id: string }
>(
  'video-change-tags',
  `
    with changed as (
      select v.id, array(select t from unnest(v.tags) with ordinality as old (t, n) where t <> all(:remove::text[]) order by n)
        || array(select t from unnest(:add::text[]) with ordinality as new (t, n)
                 where t <> all(v.tags) or t = any(:remove::text[]) order by n) as tags
      from video v where v.account_id = :accountId and v.id = any(:videoIds::uuid[]) and v.deleted_at is null
      order by v.id for no key update
    )
    update video v set tags = c.tags, updated_at = service_now()
    from changed c
    where v.account_id = :accountId and v.id = c.id and cardinality(c.tags) <= ${VIDEO_LIMITS.tags}
    returning v.id, ${notifyVideo('v.account_id', 'v.id')}, ${recordVideoChange('video.tags', 'v')}`,
);

/**
 * Deleted videos that were never bought, one page at a time, and whether each was forgotten. Looks back one month more
 * at most, so that videos which the books need are not checked every night forever.
 */
export const FORGET = statement<
  { afterDeletedAt: string; afterId: string },
  { deleted_at: string; id: string; forgotten: boolean }
>(
  'video-forget',
  `
    select deleted_at, id, forget_video(account_id, id) as forgotten from (
      select account_id, deleted_at, id from video
      where deleted_at < ${NOW_ONCE} - interval '30 days' and deleted_at > ${NOW_ONCE} - interval '60 days'
        and attempt = 0 and purge_after is null and (deleted_at, id) > (:afterDeletedAt::timestamptz, :afterId::uuid)
      order by deleted_at, id limit 200
    ) page order by deleted_at, id`,
);

/** As `FORGET`, of test accounts: all of them, since no money follows from a test video. */
export const FORGET_TESTS = statement<
  { afterDeletedAt: string; afterId: string },
  { deleted_at: string; id: string; forgotten: boolean }
>(
  'video-forget-tests',
  `
    select deleted_at, id, forget_test_video(account_id, id) as forgotten from (
      select account_id, deleted_at, id from video
      where is_test and deleted_at < ${NOW_ONCE} - interval '30 days' and purge_after is null
        and (deleted_at, id) > (:afterDeletedAt::timestamptz, :afterId::uuid)
      order by deleted_at, id limit 200
    ) page order by deleted_at, id`,
);

/** Also updates the video's time of last change. */
export const TOUCH = statement<ByActor & { accountId: string; videoId: string; kind: VideoChangeKind }>(
  'caption-touch-video',
  `
    update video set updated_at = service_now() where account_id = :accountId and id = :videoId
    returning ${notifyVideo('account_id', 'id')}, ${recordGivenVideoChange()}`,
);

export const SET_CHAPTERS = statement<{ accountId: string; videoId: string; chapters: string }>(
  'caption-set-chapters',
  `
    update video set chapters = :chapters::jsonb, updated_at = service_now() where account_id = :accountId and id = :videoId
    returning ${notifyVideo('account_id', 'id')}`,
);

/** Runs once per video. Keeps chapters that the owner has already set. */
export const TAKE_EMBEDDED = statement<{ accountId: string; videoId: string; chapters: string }>(
  'caption-take-embedded',
  `
    update video set texts_taken_at = service_now(), chapters = case when chapters = '[]' then :chapters::jsonb else chapters end
    where account_id = :accountId and id = :videoId and texts_taken_at is null
    returning id`,
);

/** `:path` is below the public address, `:posterKey` is the key in the store. */
export const CHOOSE_POSTER = statement<
  ByActor & { accountId: string; videoId: string; path: string; posterKey: string }
>(
  'poster-choose',
  `
    update video set poster_path = :path, poster_key = :posterKey, updated_at = service_now()
    where account_id = :accountId and id = :videoId and deleted_at is null and cardinality(playable_rungs) > 0
    returning ${notifyVideo('account_id', 'id')}, ${recordVideoChange('video.poster')}`,
);

/**
 * Returns to the poster that processing chose, under a new address; a video without a picture has none. Changes nothing
 * if it already is that poster.
 */
export const LEAVE_POSTER = statement<ByActor & { accountId: string; videoId: string; path: string }>(
  'poster-leave',
  `
    update video set poster_path = case when pictures_prefix is null then null else :path end, poster_key = null,
      updated_at = service_now()
    where account_id = :accountId and id = :videoId and deleted_at is null and poster_key is not null
    returning ${notifyVideo('account_id', 'id')}, ${recordVideoChange('video.poster')}`,
);

export interface FailedVideoRow {
  account_id: string;
  id: string;
  title: string;
  attempt: number;
  failure_code: string | null;
  failure_message: string | null;
  updated_at: string;
}

/** For staff: failed live videos of all accounts, the latest failure first. */
export const FAILED_VIDEOS = statement<{ afterTime: string; afterId: string; first: number }, FailedVideoRow>(
  'support-failed-videos',
  `
    select account_id, id, title, attempt, failure_code, failure_message, updated_at from video
    where status = 'failed' and deleted_at is null and (updated_at, id) < (:afterTime::timestamptz, :afterId::uuid)
      and not ${isTestAccount('video.account_id')}
    order by updated_at desc, id desc limit :first`,
);

/** For staff: whose video it is, deleted ones included. */
export const ACCOUNT_OF_VIDEO = statement<{ videoId: string }, { account_id: string }>(
  'support-account-by-video',
  'select account_id from video where id = :videoId',
);
