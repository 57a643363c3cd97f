import type { Statement } from '../../db/sql.js';
import { notifyVideo, notifyWallet } from '../liveNotice.js';

/*
 * What workers do with an attempt. `$1 account, $2 video, $3 attempt` throughout; the fence is `$4 run`: a statement
 * with it changes nothing once another worker has claimed the attempt, or it was resolved.
 */
const ATTEMPT = 'account_id = $1 and video_id = $2 and attempt = $3';
const HELD = `${ATTEMPT} and run = $4 and state = 'running'`;
const VIDEO = 'account_id = $1 and id = $2 and attempt = $3 and deleted_at is null';

/** Also the row lock that orders everything about this video. */
export const START_VIDEO: Statement = {
  name: 'attempt-start-video',
  text: `
    update video set status = 'processing', updated_at = service_now()
    where ${VIDEO} and status in ('queued', 'processing')
    returning source_key, source_probe, duration_ms, encryption, ${notifyVideo('account_id', 'id')}`,
};

/** A run that is found running was lost with its worker. */
export const CLAIM: Statement = {
  name: 'attempt-claim',
  text: `
    update processing set run = run + 1, faults = faults + (state = 'running')::integer, state = 'running',
      step = 'starting', percent = 0, speed = null, eta_seconds = null,
      started_at = coalesce(started_at, service_now()), updated_at = service_now()
    where ${ATTEMPT} and state in ('queued', 'running')
    returning run, faults, quality, price_micros`,
};

export const INSERT_OUTPUT: Statement = {
  name: 'attempt-insert-output',
  text: `
    insert into processing_output (account_id, video_id, attempt, run, prefix, created_at)
    values ($1, $2, $3, $4, $5, service_now())`,
};

/** Earlier runs of this attempt will never be published. */
export const DOOM_EARLIER_OUTPUTS: Statement = {
  name: 'attempt-doom-earlier-outputs',
  text: `
    update processing_output set doomed_at = service_now(), sweep_after = service_now()
    where account_id = $1 and video_id = $2 and (attempt, run) < ($3, $4) and doomed_at is null`,
};

export const REPORT_PROGRESS: Statement = {
  name: 'attempt-progress',
  text: `
    update processing set step = $5, percent = $6, speed = $7, eta_seconds = $8, updated_at = service_now()
    where ${HELD}
    returning ${notifyVideo('account_id', 'video_id')}`,
};

export const IS_HELD: Statement = {
  name: 'attempt-is-held',
  text: `select 1 as held from processing where ${HELD}`,
};

export const LOCK_VIDEO: Statement = {
  name: 'attempt-lock-video',
  text: 'select id from video where account_id = $1 and id = $2 for no key update',
};

export const SUCCEED: Statement = {
  name: 'attempt-succeed',
  text: `
    update processing set state = 'succeeded', step = null, percent = 100, eta_seconds = null,
      updated_at = service_now(), finished_at = service_now()
    where ${HELD}
    returning ${notifyWallet('account_id')}`,
};

export const PUBLISH_VIDEO: Statement = {
  name: 'attempt-publish-video',
  text: `
    update video set status = 'ready', ready_at = service_now(), updated_at = service_now(),
      playable_rungs = $4, published_prefix = $5, poster_path = $6, storyboard_path = $7, preview_path = $8,
      failure_code = null, failure_message = null
    where ${VIDEO} and status = 'processing'
    returning ${notifyVideo('account_id', 'id')}`,
};

export const CLEAR_RENDITIONS: Statement = {
  name: 'attempt-clear-renditions',
  text: 'delete from rendition where account_id = $1 and video_id = $2',
};

export const INSERT_RENDITION: Statement = {
  name: 'attempt-insert-rendition',
  text: `
    insert into rendition (account_id, video_id, quality, width, height, bitrate, average_bitrate, codecs, frame_rate,
      size_bytes, path)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
};

export const INSERT_STORED_OBJECT: Statement = {
  name: 'attempt-insert-stored-object',
  text: `
    insert into stored_object (account_id, video_id, key, size_bytes, stored_at)
    values ($1, $2, $3, $4, service_now())`,
};

/** What an earlier publication of this video left: it no longer plays. */
export const REPLACE_PUBLISHED: Statement = {
  name: 'attempt-replace-published',
  text: `
    update stored_object set removed_at = service_now()
    where account_id = $1 and video_id = $2 and removed_at is null
      and key like 'videos/%' and not starts_with(key, $3)`,
};

export const GIVE_BACK: Statement = {
  name: 'attempt-give-back',
  text: `
    update processing set state = 'queued', step = null, percent = 0, speed = null, eta_seconds = null,
      faults = faults + case when $5::boolean then 1 else 0 end, updated_at = service_now()
    where ${HELD}
    returning ${notifyVideo('account_id', 'video_id')}`,
};

/** `$4`–`$5`: the reason. */
export const FAIL_VIDEO: Statement = {
  name: 'attempt-fail-video',
  text: `
    update video set status = 'failed', failure_code = $4, failure_message = $5, updated_at = service_now()
    where ${VIDEO} and status in ('queued', 'processing')
    returning ${notifyVideo('account_id', 'id')}`,
};

/** `$4` the run that failed, or null for any; `$5`–`$6` the reason. */
export const FAIL: Statement = {
  name: 'attempt-fail',
  text: `
    update processing set state = 'failed', failure_code = $5, failure_message = $6, step = null, eta_seconds = null,
      updated_at = service_now(), finished_at = service_now()
    where ${ATTEMPT} and state in ('queued', 'running') and ($4::integer is null or run = $4)
    returning run, ${notifyWallet('account_id')}`,
};

export const CANCEL_ATTEMPTS: Statement = {
  name: 'attempt-cancel-all',
  text: `
    update processing set state = 'cancelled', step = null, eta_seconds = null,
      updated_at = service_now(), finished_at = service_now()
    where account_id = $1 and video_id = $2 and state in ('queued', 'running')
    returning attempt, job_id, ${notifyWallet('account_id')}`,
};

/** Nothing this video has in the store is wanted any more, unless it is under `$3`. */
export const DOOM_OUTPUTS: Statement = {
  name: 'attempt-doom-outputs',
  text: `
    update processing_output set doomed_at = service_now(), sweep_after = service_now()
    where account_id = $1 and video_id = $2 and doomed_at is null and prefix is distinct from $3`,
};
