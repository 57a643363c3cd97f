import type { Statement } from '../../../db/sql.js';
import { notifyVideo, notifyWallet } from '../../shared/liveNotice.js';

/** Locks the quote: the same quote sent twice at once is answered one after the other. */
export const LOCK_QUOTE: Statement = {
  name: 'purchase-lock-quote',
  text: `
    select q.video_id, q.quality, q.branding, q.encryption, q.normalize_loudness, q.duration_ms, q.total_micros,
      q.expires_at <= service_now() as expired,
      exists (select 1 from account a where a.id = $1 and a.suspended_at is not null) as suspended
    from quote q where q.account_id = $1 and q.id = $2 for update`,
};

export const FIND_PURCHASE: Statement = {
  name: 'purchase-find',
  text: 'select attempt from processing where account_id = $1 and quote_id = $2',
};

/** One video that fails again and again costs nobody anything but us. */
export const MAX_ATTEMPTS = 20;

/**
 * Only a measured video that nobody works on, and whose file is the one that was priced. What plays is never made anew:
 * its viewers would come upon two ladders in one video.
 */
export const QUEUE_VIDEO: Statement = {
  name: 'purchase-queue-video',
  text: `
    update video set status = 'queued', attempt = attempt + 1, quality = $3, branding = $4, encryption = $5,
      normalize_loudness = $7,
      failure_code = null, failure_message = null, updated_at = service_now()
    where account_id = $1 and id = $2 and deleted_at is null and status in ('uploaded', 'failed')
      and attempt < ${MAX_ATTEMPTS}
      and playable_rungs = '{}' and duration_ms = $6 and source_probe is not null and source_key is not null
    returning attempt`,
};

export const VIDEO_STATUS: Statement = {
  name: 'purchase-video-status',
  text: 'select status, attempt from video where account_id = $1 and id = $2 and deleted_at is null',
};

export const INSERT_ATTEMPT: Statement = {
  name: 'purchase-insert-attempt',
  text: `
    with attempt as (
      insert into processing (account_id, video_id, attempt, quote_id, quality, price_micros, job_id, brand_version,
        queued_at, updated_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, service_now(), service_now())
      returning account_id, video_id
    )
    select ${notifyVideo('account_id', 'video_id')}, ${notifyWallet('account_id')} from attempt`,
};

/** The choice of the last purchase, for doing it again; the logo it was bought with included. */
export const LAST_CHOICE: Statement = {
  name: 'purchase-last-choice',
  text: `
    select v.status, v.quality, v.branding, v.encryption, v.normalize_loudness, v.auto_process, v.attempt, (
      select p.brand_version from processing p
      where p.account_id = v.account_id and p.video_id = v.id and p.attempt = v.attempt) as brand_version
    from video v where v.account_id = $1 and v.id = $2 and v.deleted_at is null`,
};

/** Why what the owner chose beforehand was not bought. It stands until the next purchase. */
export const NOTE_REFUSAL: Statement = {
  name: 'purchase-note-refusal',
  text: `
    update video set failure_code = $3, failure_message = $4, updated_at = service_now()
    where account_id = $1 and id = $2 and deleted_at is null and status = 'uploaded' and auto_process and attempt = 0
    returning ${notifyVideo('account_id', 'id')}`,
};
