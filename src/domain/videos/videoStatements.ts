import type { Statement } from '../../db/sql.js';
import { notifyVideo } from '../liveNotice.js';
import { VIDEO_LIMITS } from './videoInput.js';

/**
 * Nothing comes back where the account has too many videos that wait for their file already. The count is locked:
 * those who come at once take turns, and each sees what the one before it made.
 */
export const INSERT: Statement = {
  name: 'video-insert',
  text: `
    insert into video (account_id, id, title, description, tags, metadata, quality, branding, encryption, auto_process,
      created_at, updated_at)
    select $1::uuid, $2::uuid, $3, $4, $5::text[], $6::jsonb, $7, $8::boolean, $9::boolean, $10::boolean, t.now, t.now
    from (select service_now() as now) t
    where coalesce((
      select awaiting_upload + uploading from video_count where account_id = $1 for no key update), 0)
      < ${VIDEO_LIMITS.awaitingUpload}
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
    update video set deleted_at = service_now(), updated_at = service_now(), playable_rungs = '{}', poster_path = null
    where account_id = $1 and id = $2 and deleted_at is null
    returning ${notifyVideo('account_id', 'id')}`,
};

export const REMOVE_OBJECTS: Statement = {
  name: 'video-remove-objects',
  text: `
    update stored_object set removed_at = service_now()
    where account_id = $1 and video_id = $2 and removed_at is null`,
};
