import type { VideoStatus } from '../library/video.entity.js';
import { statement } from '../../../db/sql.js';
import { notifyVideo } from '../../shared/liveNotice.js';
import { AWAIT_UPLOAD, beginUpload } from '../library/videoState.sql.js';

export interface IdleRow {
  account_id: string;
  video_id: string;
  id: string;
  size_bytes: string;
  expires_at: string;
}

export interface UploadRow {
  video_id: string;
  size_bytes: string;
  expires_at: string;
  finished: boolean;
  expired: boolean;
  status: VideoStatus;
}

/**
 * Everything that changes an upload and its video locks the video first, so concurrent changes wait and never deadlock.
 */
export const LOCK_VIDEO = statement<{ accountId: string; videoId: string }, { status: VideoStatus; alive: boolean }>(
  'upload-lock-video',
  `
    select status, deleted_at is null as alive from video
    where account_id = :accountId and id = :videoId
    for no key update`,
);

/** A new upload replaces one that is still open, whose id stops working at once. */
export const BEGIN = statement<
  { accountId: string; videoId: string; uploadId: string; sizeBytes: number; expiresInSeconds: number },
  { expires_at: string }
>(
  'upload-begin',
  `
    with target as (
      ${AWAIT_UPLOAD}
    ), replaced as (
      update upload u set expires_at = least(u.expires_at, service_now())
      from target where u.account_id = :accountId and u.video_id = target.id and u.finished_at is null
    )
    insert into upload (account_id, video_id, id, size_bytes, created_at, expires_at)
    select :accountId, target.id, :uploadId, :sizeBytes, service_now(), service_now() + make_interval(secs => :expiresInSeconds) from target
    returning expires_at`,
);

export const VIDEO_STATUS = statement<{ accountId: string; videoId: string }, { status: VideoStatus }>(
  'upload-video-status',
  `select status from video where account_id = :accountId and id = :videoId and deleted_at is null`,
);

export const FIND = statement<{ accountId: string; uploadId: string }, UploadRow>(
  'upload-find',
  `
    select u.video_id, u.size_bytes, u.expires_at, u.finished_at is not null as finished,
      u.finished_at is null and u.expires_at <= service_now() as expired, v.status
    from upload u join video v on v.account_id = u.account_id and v.id = u.video_id
    where u.account_id = :accountId and u.id = :uploadId and v.deleted_at is null`,
);

/** Called when bytes arrive: the video becomes `uploading`, and the upload's expiry starts again. */
export const TOUCH = statement<
  { accountId: string; uploadId: string; expiresInSeconds: number },
  { expires_at: string }
>(
  'upload-touch',
  `
    with target as (
      select v.id from video v join upload u on u.account_id = v.account_id and u.video_id = v.id
      where v.account_id = :accountId and u.id = :uploadId and u.finished_at is null and v.deleted_at is null
      for no key update of v
    ), begun as (
      ${beginUpload('target')}
    ), told as (
      select ${notifyVideo(':accountId::uuid', 'begun.id')} from begun
    ), alive as (
      update upload u set expires_at = service_now() + make_interval(secs => :expiresInSeconds)
      from target where u.account_id = :accountId and u.id = :uploadId and u.finished_at is null
      returning u.expires_at
    )
    select expires_at, (select count(*) from told) as told from alive`,
);

export const MARK_FINISHED = statement<{ accountId: string; uploadId: string }>(
  'upload-mark-finished',
  `
    update upload set finished_at = service_now()
    where account_id = :accountId and id = :uploadId and finished_at is null
    returning id`,
);

/**
 * Open uploads without a live writer: those that expired or lost their video (`:lost`), or those that have received
 * bytes.
 */
export const IDLE = statement<{ lost: boolean; afterTime: string; afterId: string; most: number }, IdleRow>(
  'upload-idle',
  `
    select u.account_id, u.video_id, u.id, u.size_bytes, u.expires_at
    from upload u left join video v on v.account_id = u.account_id and v.id = u.video_id
    where u.finished_at is null and (u.lease_token is null or u.leased_until <= clock_timestamp())
      and case when :lost::boolean then u.expires_at <= service_now() or v.deleted_at is not null or v.id is null
          else v.status = 'uploading' end
      and (u.expires_at, u.id) > (:afterTime::timestamptz, :afterId::text)
    order by u.expires_at, u.id
    limit :most`,
);

export const REMOVE = statement<{ accountId: string; uploadId: string }>(
  'upload-remove',
  `delete from upload where account_id = :accountId and id = :uploadId and finished_at is null returning id`,
);

/**
 * For these accounts, uploads and multipart uploads (null for a file), returns the numbers (from 1) of those without an
 * open upload. An upload has at most one multipart upload, and only while it is open.
 */
export const UNKNOWN = statement<
  { accountIds: readonly string[]; ids: readonly string[]; multipartIds: readonly (string | null)[] },
  { n: number }
>(
  'upload-unknown',
  `
    select f.n::int as n
    from unnest(:accountIds::uuid[], :ids::text[], :multipartIds::text[]) with ordinality f (account_id, id, multipart_id, n)
    where not exists (
      select from upload u
      where u.account_id = f.account_id and u.id = f.id and u.finished_at is null
        and (f.multipart_id is null or u.multipart_id = f.multipart_id))`,
);
