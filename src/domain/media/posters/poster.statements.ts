import type { Statement } from '../../../db/sql.js';
import { notifyVideo } from '../../shared/liveNotice.js';

/** Also whether it is there at all. Its pictures that play, smallest first. */
export const FIND: Statement = {
  name: 'poster-find',
  text: `
    select v.duration_ms, cardinality(v.playable_rungs) > 0 as plays, (
      select coalesce(json_agg(json_build_object('prefix', r.prefix, 'path', r.path,
        'longSide', greatest(r.width, r.height)) order by r.width * r.height), '[]')
      from rendition r
      where r.account_id = v.account_id and r.video_id = v.id and r.quality = any (v.playable_rungs)
        and r.width is not null
    ) as renditions
    from video v where v.account_id = $1 and v.id = $2 and v.deleted_at is null`,
};

/** `$3` the path below the public address, `$4` the key in the store. */
export const CHOOSE: Statement = {
  name: 'poster-choose',
  text: `
    update video set poster_path = $3, poster_key = $4, updated_at = service_now()
    where account_id = $1 and id = $2 and deleted_at is null and cardinality(playable_rungs) > 0
    returning ${notifyVideo('account_id', 'id')}`,
};

/**
 * Back to the one that processing chose, under a new address; one without a picture has none. Nothing changes where it
 * is that already.
 */
export const LEAVE: Statement = {
  name: 'poster-leave',
  text: `
    update video set poster_path = case when pictures_prefix is null then null else $3 end, poster_key = null,
      updated_at = service_now()
    where account_id = $1 and id = $2 and deleted_at is null and poster_key is not null
    returning ${notifyVideo('account_id', 'id')}`,
};

/** After one of the two above, whose row lock orders choices that come at once. */
export const REMOVE_CHOSEN: Statement = {
  name: 'poster-remove-chosen',
  text: `
    update stored_object set removed_at = service_now()
    where account_id = $1 and video_id = $2 and removed_at is null and starts_with(key, 'posters/')`,
};
