import type { Statement } from '../../../db/sql.js';
import { notifyVideo } from '../../shared/liveNotice.js';
import { VIDEO_LIMITS } from './videoInput.js';

/**
 * Nothing comes back where the account has too many videos that wait for their file, or for being bought. The count is
 * locked: those who come at once take turns, and each sees what the one before it made.
 */
export const INSERT: Statement = {
  name: 'video-insert',
  text: `
    insert into video (account_id, id, title, description, tags, metadata, quality, branding, encryption, auto_process,
      normalize_loudness, created_at, updated_at)
    select $1::uuid, $2::uuid, $3, $4, $5::text[], $6::jsonb, $7, $8::boolean, $9::boolean, $10::boolean, $11::boolean,
      t.now, t.now
    from (select service_now() as now) t
    where coalesce((
      select awaiting_upload + uploading < ${VIDEO_LIMITS.awaitingUpload}
        and awaiting_upload + uploading + uploaded + failed < ${VIDEO_LIMITS.unprocessed}
      from video_count where account_id = $1 for no key update), true)
    returning ${notifyVideo('account_id', 'id')}`,
};

/** What is null stays as it is. */
export const UPDATE: Statement = {
  name: 'video-update',
  text: `
    update video set title = coalesce($3, title), description = coalesce($4, description),
      tags = coalesce($5::text[], tags), metadata = coalesce($6::jsonb, metadata), updated_at = service_now()
    where account_id = $1 and id = $2 and deleted_at is null
    returning ${notifyVideo('account_id', 'id')}`,
};

/** From here on it exists for nobody; the row stays for the books. */
export const DELETE: Statement = {
  name: 'video-delete',
  text: `
    update video set deleted_at = service_now(), updated_at = service_now(), playable_rungs = '{}', poster_path = null,
      storyboard_path = null, preview_path = null, chapters = '[]'
    where account_id = $1 and id = $2 and deleted_at is null
    returning ${notifyVideo('account_id', 'id')}`,
};

export const REMOVE_OBJECTS: Statement = {
  name: 'video-remove-objects',
  text: `
    update stored_object set removed_at = service_now()
    where account_id = $1 and video_id = $2 and removed_at is null`,
};

/** What is still stored of it can be read by nobody, whoever keeps a copy. */
export const REMOVE_MEDIA_KEYS: Statement = {
  name: 'video-remove-media-keys',
  text: 'delete from media_key where account_id = $1 and video_id = $2',
};

/** The most used first. */
export const TAGS: Statement = {
  name: 'video-tags',
  text: `
    select tag, count(*) as videos from video v, unnest(v.tags) as tag
    where v.account_id = $1 and v.deleted_at is null
    group by tag order by count(*) desc, tag limit ${VIDEO_LIMITS.tagsListed}`,
};

/** Adds and takes away; a video that would have too many is left as it is, and does not come back. */
export const CHANGE_TAGS: Statement = {
  name: 'video-change-tags',
  text: `
    with changed as (
      select v.id, array(select t from unnest(v.tags) with ordinality as old (t, n) where t <> all($4::text[]) order by n)
        || array(select t from unnest($3::text[]) with ordinality as new (t, n)
                 where t <> all(v.tags) or t = any($4::text[]) order by n) as tags
      from video v where v.account_id = $1 and v.id = any($2::uuid[]) and v.deleted_at is null
      order by v.id for no key update
    )
    update video v set tags = c.tags, updated_at = service_now()
    from changed c
    where v.account_id = $1 and v.id = c.id and cardinality(c.tags) <= ${VIDEO_LIMITS.tags}
    returning v.id, ${notifyVideo('v.account_id', 'v.id')}`,
};

/**
 * Deleted ones that were never bought, a page after `$1` and `$2`; whether it was forgotten. A month late is late enough:
 * what the books need of earlier ones is not looked at every night for ever.
 */
export const FORGET: Statement = {
  name: 'video-forget',
  text: `
    select deleted_at, id, forget_video(account_id, id) as forgotten from (
      select account_id, deleted_at, id from video
      where deleted_at < service_now() - interval '30 days' and deleted_at > service_now() - interval '60 days'
        and attempt = 0 and (deleted_at, id) > ($1::timestamptz, $2::uuid)
      order by deleted_at, id limit 200
    ) page order by deleted_at, id`,
};
