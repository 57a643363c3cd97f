import { statement } from '../../../db/sql.js';

export interface FoundVideo {
  readonly duration_ms: string | null;
  readonly plays: boolean;
  readonly renditions: readonly { readonly prefix: string; readonly path: string; readonly longSide: number }[];
}

/** Tells whether the video exists. Lists its playable pictures, smallest first. */
export const FIND = statement<{ accountId: string; videoId: string }, FoundVideo>(
  'poster-find',
  `
    select v.duration_ms, cardinality(v.playable_rungs) > 0 as plays, (
      select coalesce(json_agg(json_build_object('prefix', r.prefix, 'path', r.path,
        'longSide', greatest(r.width, r.height)) order by r.width * r.height), '[]')
      from rendition r
      where r.account_id = v.account_id and r.video_id = v.id and r.quality = any (v.playable_rungs)
        and r.width is not null
    ) as renditions
    from video v where v.account_id = :accountId and v.id = :videoId and v.deleted_at is null`,
);
