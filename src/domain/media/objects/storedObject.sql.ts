import type { Statement } from '../../../db/sql.js';

export const REMOVE_OBJECTS: Statement = {
  name: 'video-remove-objects',
  text: `
    update stored_object set removed_at = service_now()
    where account_id = $1 and video_id = $2 and removed_at is null`,
};

/** After CHOOSE_POSTER or LEAVE_POSTER, whose row lock orders choices that come at once. */
export const REMOVE_POSTERS: Statement = {
  name: 'poster-remove-chosen',
  text: `
    update stored_object set removed_at = service_now()
    where account_id = $1 and video_id = $2 and removed_at is null and starts_with(key, 'posters/')`,
};

export const OBJECT_SWEPT: Statement = {
  name: 'leftovers-object-swept',
  text: 'update stored_object set swept_at = service_now() where account_id = $1 and key = $2',
};

export const INSERT_STORED_OBJECT: Statement = {
  name: 'attempt-insert-stored-object',
  text: `
    insert into stored_object (account_id, video_id, key, size_bytes, stored_at)
    values ($1, $2, $3, $4, service_now())`,
};
