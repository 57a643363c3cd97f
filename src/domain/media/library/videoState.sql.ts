import type { RenditionQuality, SourceProbe } from '../../../ports/sourceProbe.js';
import { statement } from '../../../db/sql.js';
import { isTestAccount } from '../../accounts/testMode/testAccount.sql.js';
import { testFaultOf } from '../../accounts/testMode/testFaults.js';
import { notifyVideo } from '../../shared/liveNotice.js';
import { type ByActor, recordChangeOfAttempt, recordVideoChange } from '../../shared/videoChanges/videoChange.sql.js';
import { removeObjectsOf } from '../objects/storedObject.sql.js';
import type { MeasuredRendition } from '../pipeline/dominated.js';
import type { RenditionRow } from '../pipeline/publication.js';
import { videoEvent } from './videoEvents.js';
import { VIDEO_LIMITS } from './videoInput.js';

/*
 * How a video moves from one status to the next, from its upload to `ready` or `failed`, and what plays of it meanwhile.
 */

// Upload

/** Part of a statement: a video without a file waits for an upload. */
export const AWAIT_UPLOAD = `update video set status = 'awaiting_upload', updated_at = service_now()
      where account_id = :accountId and id = :videoId and deleted_at is null and status in ('awaiting_upload', 'uploading')
      returning id`;

/** Part of a statement: bytes arrive for the video in `target`, the name of a query with its `id`. */
export const beginUpload = (
  target: string,
): string => `update video v set status = 'uploading', updated_at = service_now()
      from ${target} where v.account_id = :accountId and v.id = ${target}.id and v.status = 'awaiting_upload'
      returning v.id`;

export const TAKE_SOURCE = statement<
  ByActor & { accountId: string; videoId: string; sourceKey: string; sizeBytes: number }
>(
  'upload-take-source',
  `
    with taken as (
      update video set status = 'uploaded', source_key = :sourceKey, size_bytes = :sizeBytes, updated_at = service_now()
      where account_id = :accountId and id = :videoId
      returning id, ${videoEvent('video.uploaded')}, ${recordVideoChange('video.uploaded')}
    )
    select ${notifyVideo(':accountId::uuid', 'id')} from taken`,
);

export const AWAIT_AGAIN = statement<{ accountId: string; videoId: string }>(
  'upload-await-again',
  `
    with waiting as (
      update video set status = 'awaiting_upload', updated_at = service_now()
      where account_id = :accountId and id = :videoId and status = 'uploading' and deleted_at is null
        and not exists (
          select from upload where account_id = :accountId and video_id = :videoId and finished_at is null)
      returning id
    )
    select ${notifyVideo(':accountId::uuid', 'id')} from waiting`,
);

// Measuring

/** An upload that is neither deleted, nor replaced, nor measured. */
const UNMEASURED = `account_id = :accountId and id = :videoId and deleted_at is null and status = 'uploaded' and duration_ms is null`;

/** Counted before anything is tried: a file that takes its worker down with it counts as well. */
export const BEGIN_MEASURE = statement<
  { accountId: string; videoId: string },
  { source_key: string; is_tried_for_minutes: boolean; is_test: boolean }
>(
  'measure-begin',
  `
    update video set measure_runs = measure_runs + 1, measuring_since = coalesce(measuring_since, service_now())
    where ${UNMEASURED} and source_key is not null
    returning source_key,
      measure_runs >= 3 and measuring_since < service_now() - interval '5 minutes' as is_tried_for_minutes,
      ${isTestAccount('video.account_id')} as is_test`,
);

export const UNCOUNT_MEASURE = statement<{ accountId: string; videoId: string; sourceKey: string }>(
  'measure-uncount',
  `
    update video set measure_runs = greatest(measure_runs - 1, 0),
      measuring_since = case when measure_runs > 1 then measuring_since end
    where ${UNMEASURED} and source_key = :sourceKey`,
);

export const MEASURED = statement<
  ByActor & {
    accountId: string;
    videoId: string;
    sourceKey: string;
    durationMs: number;
    displayWidth: number | null;
    displayHeight: number | null;
    sizeBytes: number;
    probe: string;
  }
>(
  'measure-measured',
  `
    update video set duration_ms = :durationMs, width = :displayWidth, height = :displayHeight, size_bytes = :sizeBytes, source_probe = :probe,
      updated_at = service_now()
    where ${UNMEASURED} and source_key = :sourceKey
    returning ${notifyVideo('account_id', 'id')}, ${recordVideoChange('video.measured')}`,
);

/** The file is of no use to its owner: it goes, and stops counting as storage. */
export const REFUSE_SOURCE = statement<{
  accountId: string;
  videoId: string;
  sourceKey: string | null;
  failureCode: string;
  message: string;
}>(
  'measure-refused',
  `
    with refused as (
      update video set status = 'failed', failure_code = :failureCode, failure_message = :message, source_key = null,
        updated_at = service_now()
      where ${UNMEASURED} and (:sourceKey::text is null or source_key = :sourceKey)
      returning account_id, id, ${videoEvent('video.failed', 'attempt')}
    ), removed as (
      ${removeObjectsOf('refused')}
    )
    select ${notifyVideo('account_id', 'id')} from refused`,
);

// Purchase

/** A video that fails repeatedly costs only the service, so attempts are limited. */
export const MAX_ATTEMPTS = 20;

/**
 * Only a measured video that is not being processed, and whose file is the one that was priced. A video that plays is
 * never processed again: its viewers would get two ladders in one video.
 */
export const QUEUE_VIDEO = statement<
  ByActor & {
    accountId: string;
    videoId: string;
    quality: string;
    branding: boolean;
    encryption: boolean;
    durationMs: string;
    normalizeLoudness: boolean;
  },
  { attempt: number }
>(
  'purchase-queue-video',
  `
    with queued as (
      update video set status = 'queued', attempt = attempt + 1, quality = :quality, branding = :branding, encryption = :encryption,
        normalize_loudness = :normalizeLoudness,
        failure_code = null, failure_message = null, updated_at = service_now()
      where account_id = :accountId and id = :videoId and deleted_at is null and status in ('uploaded', 'failed')
        and attempt < ${MAX_ATTEMPTS}
        and playable_rungs = '{}' and duration_ms = :durationMs and source_probe is not null and source_key is not null
      returning account_id, id, attempt
    ), recorded as (
      ${recordChangeOfAttempt('video.bought', 'queued')}
    )
    select attempt from queued`,
);

/**
 * Part of an update of the video `:videoId` whose purchase is returned: its status and failure before. A retry that is taken
 * back leaves the reason why the video failed, and no second `video.failed`.
 */
export const AS_BEFORE_PURCHASE = `(status, failure_code, failure_message) = (
        select case when p.attempt is null then 'uploaded' else 'failed' end, p.failure_code, p.failure_message
        from (values (true)) always left join lateral (
          select attempt, failure_code, failure_message from processing
          where account_id = :accountId and video_id = :videoId and state = 'failed' order by attempt desc limit 1
        ) p on true)`;

/**
 * Takes a video whose row is locked out of the queue: it waits for its owner again. Returns no row if too many videos of the
 * account are not bought: otherwise buying and cancelling would be a way around that limit. Locks the count after the video,
 * in the order of the video's trigger.
 */
export const UNQUEUE_VIDEO = statement<ByActor & { accountId: string; videoId: string }>(
  'purchase-unqueue-video',
  `
    with unqueued as (
      update video set ${AS_BEFORE_PURCHASE}, auto_process = false, updated_at = service_now()
      where account_id = :accountId and id = :videoId and status = 'queued' and coalesce((
        select awaiting_upload + uploading + uploaded + failed < ${VIDEO_LIMITS.unprocessed}
        from video_count where account_id = :accountId for no key update), true)
      returning account_id, id, attempt
    ), recorded as (
      ${recordChangeOfAttempt('video.cancelled', 'unqueued')}
    )
    select ${notifyVideo('account_id', 'id')} from unqueued`,
);

/** Why what the owner chose beforehand was not bought. It stands until the next purchase. */
export const NOTE_REFUSAL = statement<{ accountId: string; videoId: string; code: string; message: string }>(
  'purchase-note-refusal',
  `
    update video set failure_code = :code, failure_message = :message, updated_at = service_now()
    where account_id = :accountId and id = :videoId and deleted_at is null and status = 'uploaded' and auto_process and attempt = 0
    returning ${notifyVideo('account_id', 'id')}`,
);

// Attempt

export interface AttemptKey {
  readonly accountId: string;
  readonly videoId: string;
  readonly attempt: number;
}

export interface ClaimedVideo {
  readonly source_key: string;
  readonly source_probe: SourceProbe;
  readonly encryption: boolean;
  readonly normalize_loudness: boolean;
  readonly playable_rungs: RenditionQuality[];
  readonly playable_bitrates: MeasuredRendition[];
  readonly has_pictures: boolean;
  readonly is_test: boolean;
  readonly test_fault: string | null;
}

const VIDEO = 'account_id = :accountId and id = :videoId and attempt = :attempt and deleted_at is null';

/** Also the row lock that orders everything about this video. */
export const START_VIDEO = statement<AttemptKey, ClaimedVideo>(
  'attempt-start-video',
  `
    update video set status = 'processing', updated_at = service_now()
    where ${VIDEO} and status in ('queued', 'processing')
    returning source_key, source_probe, encryption, normalize_loudness,
      playable_rungs, pictures_prefix is not null as has_pictures, ${isTestAccount('video.account_id')} as is_test,
      ${testFaultOf('video.account_id', 'video.id')} as test_fault, (
        select coalesce(
          json_agg(json_build_object('quality', r.quality, 'averageBandwidthBps', r.average_bitrate)), '[]')
        from rendition r
        where r.account_id = video.account_id and r.video_id = video.id and r.quality = any (playable_rungs)
      ) as playable_bitrates,
      ${notifyVideo('account_id', 'id')}`,
);

/**
 * `:renditions` play from now on; `:bestFirst` are all qualities. Pictures are null where there are no new ones. A poster that the owner chose while the video played already keeps its address. `:isFirst`: nothing played before this run.
 */
export const PUBLISH_VIDEO = statement<{
  accountId: string;
  videoId: string;
  attempt: number;
  renditions: readonly string[];
  bestFirst: readonly string[];
  picturesPrefix: string | null;
  posterPath: string | null;
  storyboardPath: string | null;
  /** JSON */
  trickPlay: string | null;
  previewPath: string | null;
  isFirst: boolean;
}>(
  'attempt-publish-video',
  `
    update video set updated_at = service_now(),
      playable_rungs = array(
        select q.name from unnest(:bestFirst::text[]) with ordinality as q (name, n)
        where q.name = any (playable_rungs || :renditions::text[]) order by q.n),
      pictures_prefix = coalesce(:picturesPrefix, pictures_prefix),
      poster_path = case when poster_key is null then coalesce(:posterPath, poster_path) else poster_path end,
      storyboard_path = coalesce(:storyboardPath, storyboard_path), preview_path = coalesce(:previewPath, preview_path),
      trick_play = coalesce(:trickPlay::jsonb, trick_play)
    where ${VIDEO} and status = 'processing'
    returning ${notifyVideo('account_id', 'id')},
      case when :isFirst::boolean and cardinality(playable_rungs) > 0 then ${videoEvent('video.playable', 'attempt')} end`,
);

export const INSERT_RENDITION = statement<{ accountId: string; videoId: string } & RenditionRow>(
  'attempt-insert-rendition',
  `
    insert into rendition (account_id, video_id, quality, width, height, bitrate, average_bitrate, codecs, frame_rate,
      size_bytes, path, prefix, track, language, label, is_description, receipt, key_frame_bitrate,
      key_frame_average_bitrate)
    values (:accountId, :videoId, :quality, :width, :height, :bitrateBps, :averageBitrateBps, :codecs,
      :framesPerSecond, :sizeBytes, :path, :prefix, :track, :language, :label, :isDescription, :receipt,
      :keyFrameBitrateBps, :keyFrameAverageBitrateBps)`,
);

/** Only a video that plays can be ready. The failure says why it is not all that was bought. */
export const READY_VIDEO = statement<AttemptKey & { code: string | null; message: string | null }>(
  'attempt-ready-video',
  `
    update video set status = 'ready', ready_at = service_now(), updated_at = service_now(),
      failure_code = :code, failure_message = :message
    where ${VIDEO} and status in ('queued', 'processing') and cardinality(playable_rungs) > 0
    returning ${notifyVideo('account_id', 'id')}, ${videoEvent('video.ready', 'attempt')}`,
);

export const FAIL_VIDEO = statement<AttemptKey & { code: string | null; message: string | null }>(
  'attempt-fail-video',
  `
    update video set status = 'failed', failure_code = :code, failure_message = :message, updated_at = service_now()
    where ${VIDEO} and status in ('queued', 'processing')
    returning ${notifyVideo('account_id', 'id')}, ${videoEvent('video.failed', 'attempt')}`,
);

/** For a video `v`: no attempt is in progress. */
export const NO_OPEN_ATTEMPT = `not exists (
  select from processing p where p.account_id = v.account_id and p.video_id = v.id and p.state in ('queued', 'running'))`;

/** A bought video whose attempt ended without updating the video. */
export const FAIL_STRANDED = statement(
  'doctor-fail-stranded',
  `
    with stranded as (
      update video v set updated_at = service_now(), failure_code = 'PROCESSING_FAILED',
        status = case when playable_rungs = '{}' then 'failed' else 'ready' end,
        ready_at = case when playable_rungs = '{}' then ready_at else service_now() end,
        failure_message = case when playable_rungs = '{}'
          then 'Processing stopped on our side. You were not charged; please try again.'
          else 'Processing stopped on our side.' end
      where v.status in ('queued', 'processing') and v.deleted_at is null
        and v.updated_at < service_now() - interval '1 minute' and ${NO_OPEN_ATTEMPT}
      returning v.account_id, v.id, case when status = 'ready' then ${videoEvent('video.ready', 'attempt')}
        else ${videoEvent('video.failed', 'attempt')} end
    )
    select ${notifyVideo('account_id', 'id')} from stranded`,
);
