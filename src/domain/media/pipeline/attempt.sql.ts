import type { Quality, RenditionQuality, SourceProbe } from '../../../ports/sourceProbe.js';
import { statement } from '../../../db/sql.js';
import { videoEvent } from '../library/videoEvents.js';
import { keepsFiles } from '../objects/storedObject.sql.js';
import { isTestAccount } from '../../accounts/testMode/testAccount.sql.js';
import { testFaultOf } from '../../accounts/testMode/testFaults.js';
import type { MeasuredRendition } from './dominated.js';
import type { RenditionRow } from './publication.js';
import { notifyVideo, notifyWallet } from '../../shared/liveNotice.js';

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

export interface ClaimedRun {
  readonly run: number;
  readonly faults: number;
  readonly quality: Quality;
  readonly price_micros: string;
  readonly boundaries: number[] | null;
}

export interface DeliveredRow {
  readonly playable_rungs: RenditionQuality[];
  readonly quality: Quality;
  readonly price_micros: string;
  readonly duration_ms: string;
  readonly branding: boolean;
  readonly encryption: boolean;
}

export interface AttemptKey {
  readonly accountId: string;
  readonly videoId: string;
  readonly attempt: number;
}

export interface RunOfAttempt extends AttemptKey {
  readonly run: number;
}

/*
 * What workers do with an attempt. The fence is `run`: a statement with it
 * changes nothing once another worker has claimed the attempt, or it was resolved.
 */
const ATTEMPT = 'account_id = :accountId and video_id = :videoId and attempt = :attempt';
const HELD = `${ATTEMPT} and run = :run and state = 'running'`;
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

/** A run that is found running was lost with its worker. */
export const CLAIM = statement<AttemptKey, ClaimedRun>(
  'attempt-claim',
  `
    update processing set run = run + 1, faults = faults + (state = 'running')::integer, state = 'running',
      step = 'starting', speed = null, eta_seconds = null,
      started_at = coalesce(started_at, service_now()), updated_at = service_now()
    where ${ATTEMPT} and state in ('queued', 'running')
    returning run, faults, quality, price_micros, boundaries`,
);

/** The segment boundaries of a passthrough rendition. Published with it, never changed afterwards. */
export const KEEP_BOUNDARIES = statement<RunOfAttempt & { boundaries: string }>(
  'attempt-keep-boundaries',
  `update processing set boundaries = :boundaries where ${HELD} and boundaries is null`,
);

export const INSERT_OUTPUT = statement<RunOfAttempt & { prefix: string }>(
  'attempt-insert-output',
  `
    insert into processing_output (account_id, video_id, attempt, run, prefix, created_at)
    values (:accountId, :videoId, :attempt, :run, :prefix, service_now())`,
);

/** Earlier runs will publish nothing more; the sweep keeps what they have published. */
export const DOOM_EARLIER_OUTPUTS = statement<RunOfAttempt>(
  'attempt-doom-earlier-outputs',
  `
    update processing_output set doomed_at = service_now(), sweep_after = service_now()
    where account_id = :accountId and video_id = :videoId and (attempt, run) < (:attempt, :run) and doomed_at is null`,
);

/** What a lost run had come to, and the next one has to make again, holds the bar until it is passed. */
export const REPORT_PROGRESS = statement<
  RunOfAttempt & { step: string; percent: number; speed: number | null; etaSeconds: number | null }
>(
  'attempt-progress',
  `
    update processing set step = :step, percent = greatest(percent, :percent), speed = :speed, eta_seconds = :etaSeconds,
      updated_at = service_now()
    where ${HELD}
    returning ${notifyVideo('account_id', 'video_id')}`,
);

export const IS_HELD = statement<RunOfAttempt, { held: number }>(
  'attempt-is-held',
  `select 1 as held from processing where ${HELD}`,
);

export const LOCK_VIDEO = statement<{ accountId: string; videoId: string }>(
  'attempt-lock-video',
  'select id from video where account_id = :accountId and id = :videoId for no key update',
);

export const SUCCEED = statement<RunOfAttempt>(
  'attempt-succeed',
  `
    update processing set state = 'succeeded', step = null, percent = 100, eta_seconds = null,
      updated_at = service_now(), finished_at = service_now()
    where ${HELD}
    returning ${notifyWallet('account_id')}`,
);

/** Locks the attempt for the transaction, where it is still this run's. */
export const HOLD = statement<RunOfAttempt, { held: number }>(
  'attempt-hold',
  `select 1 as held from processing where ${HELD} for no key update`,
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

/** Only a video that plays can be ready. The failure says why it is not all that was bought. */
export const READY_VIDEO = statement<AttemptKey & { code: string | null; message: string | null }>(
  'attempt-ready-video',
  `
    update video set status = 'ready', ready_at = service_now(), updated_at = service_now(),
      failure_code = :code, failure_message = :message
    where ${VIDEO} and status in ('queued', 'processing') and cardinality(playable_rungs) > 0
    returning ${notifyVideo('account_id', 'id')}, ${videoEvent('video.ready', 'attempt')}`,
);

/** What of this purchase plays, or plays once it is restored, beside what was bought; no row where nothing does. */
export const DELIVERED = statement<{ accountId: string; videoId: string; attempt: number }, DeliveredRow>(
  'attempt-delivered',
  `
    select v.playable_rungs, p.quality, p.price_micros, q.duration_ms, q.branding, q.encryption
    from video v
    join processing p on p.account_id = v.account_id and p.video_id = v.id and p.attempt = v.attempt
    join quote q on q.account_id = p.account_id and q.id = p.quote_id
    where v.account_id = :accountId and v.id = :videoId and v.attempt = :attempt and ${keepsFiles('v')}
      and cardinality(v.playable_rungs) > 0`,
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

const COUNTS = `:faulted::boolean and coalesce(faulted_at < service_now() - interval '10 minutes', true)`;

export const GIVE_BACK = statement<RunOfAttempt & { faulted: boolean }>(
  'attempt-give-back',
  `
    update processing set state = 'queued', step = null, speed = null, eta_seconds = null,
      faults = faults + case when ${COUNTS} then 1 else 0 end,
      faulted_at = case when ${COUNTS} then service_now() else faulted_at end, updated_at = service_now()
    where ${HELD}
    returning ${notifyVideo('account_id', 'video_id')}`,
);

export const FAIL_VIDEO = statement<AttemptKey & { code: string | null; message: string | null }>(
  'attempt-fail-video',
  `
    update video set status = 'failed', failure_code = :code, failure_message = :message, updated_at = service_now()
    where ${VIDEO} and status in ('queued', 'processing')
    returning ${notifyVideo('account_id', 'id')}, ${videoEvent('video.failed', 'attempt')}`,
);

/** `:run` is null for any run; what is delivered is paid. */
export const FAIL = statement<{
  accountId: string;
  videoId: string;
  attempt: number;
  run: number | null;
  code: string;
  message: string;
  isDelivered: boolean;
}>(
  'attempt-fail',
  `
    update processing set state = case when :isDelivered::boolean then 'succeeded' else 'failed' end,
      failure_code = :code, failure_message = :message, step = null, eta_seconds = null,
      updated_at = service_now(), finished_at = service_now()
    where ${ATTEMPT} and state in ('queued', 'running') and (:run::integer is null or run = :run)
    returning run, ${notifyWallet('account_id')}`,
);

export const CANCEL_ATTEMPTS = statement<
  { accountId: string; videoId: string },
  { attempt: number; job_id: string | null }
>(
  'attempt-cancel-all',
  `
    update processing set state = 'cancelled', step = null, eta_seconds = null,
      updated_at = service_now(), finished_at = service_now()
    where account_id = :accountId and video_id = :videoId and state in ('queued', 'running')
    returning attempt, job_id, ${notifyWallet('account_id')}`,
);

/** Attempts in progress of these accounts. */
export const LIVE_ATTEMPTS = statement<
  { accountIds: readonly string[]; most: number },
  { account_id: string; video_id: string }
>(
  'attempt-live-of-accounts',
  `
    select account_id, video_id from processing
    where account_id = any (:accountIds::uuid[]) and state in ('queued', 'running')
    order by account_id, video_id limit :most`,
);

/** Nobody writes for this video any more. What plays of it has rows in stored_object, and is kept by the sweep. */
export const DOOM_OUTPUTS = statement<{ accountId: string; videoId: string }>(
  'attempt-doom-outputs',
  `
    update processing_output set doomed_at = service_now(), sweep_after = service_now()
    where account_id = :accountId and video_id = :videoId and doomed_at is null`,
);
