import type { Quality, RenditionQuality } from '../../../ports/sourceProbe.js';
import { statement } from '../../../db/sql.js';
import type { AttemptKey } from '../library/videoState.sql.js';
import { keepsFiles } from '../objects/storedObject.sql.js';
import { notifyVideo, notifyWallet } from '../../shared/liveNotice.js';

export interface ClaimedRun {
  readonly run: number;
  readonly faults: number;
  readonly quality: Quality;
  readonly price_micros: string;
  readonly boundaries: number[] | null;
  readonly seconds_since_bought: number;
}

export interface DeliveredRow {
  readonly playable_rungs: RenditionQuality[];
  readonly quality: Quality;
  readonly price_micros: string;
  readonly duration_ms: string;
  readonly branding: boolean;
  readonly encryption: boolean;
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

/** A run that is found running was lost with its worker. */
export const CLAIM = statement<AttemptKey, ClaimedRun>(
  'attempt-claim',
  `
    update processing set run = run + 1, faults = faults + (state = 'running')::integer, state = 'running',
      step = 'starting', speed = null, eta_seconds = null,
      started_at = coalesce(started_at, service_now()), updated_at = service_now()
    where ${ATTEMPT} and state in ('queued', 'running')
    returning run, faults, quality, price_micros, boundaries,
      extract(epoch from service_now() - queued_at)::float8 as seconds_since_bought`,
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
