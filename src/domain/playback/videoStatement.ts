import type { Statement } from '../../db/sql.js';

/**
 * What a view needs of an account (`$1`), its video (`$2`) and the key that it was asked with (`$3`, `null` for none),
 * with the database's time.
 */
export interface PlayableRow {
  suspended: boolean;
  /** The key was revoked, or is not there any more. */
  key_revoked: boolean;
  /** Empty for every site. */
  allowed_domains: string[];
  now_epoch: number;
  /** `null`, like all that follows, where there is no such video. */
  id: string | null;
  title: string;
  status: string;
  plays: boolean;
  duration_ms: string | null;
  poster_path: string | null;
  /** Object-store prefix of the run that made the pictures. */
  pictures_prefix: string | null;
  /** Below that prefix. */
  storyboard_path: string | null;
  has_chapters: boolean;
  captions: { id: string; language: string; label: string }[] | null;
}

/** One row, unless there is no such account. */
export const playableVideo: Statement = {
  name: 'playback-video',
  text: `
    select a.suspended_at is not null as suspended, $3::uuid is not null and not exists (
        select from api_key k where k.account_id = $1 and k.id = $3 and k.revoked_at is null) as key_revoked,
      a.allowed_domains, extract(epoch from service_now())::float8 as now_epoch,
      v.id, v.title, v.status, cardinality(v.playable_rungs) > 0 as plays, v.duration_ms, v.poster_path,
      v.pictures_prefix, v.storyboard_path, v.chapters <> '[]' as has_chapters, (
        select json_agg(json_build_object('id', c.id, 'language', c.language, 'label', c.label)
          order by c.created_at, c.label)
        from caption c where c.account_id = v.account_id and c.video_id = v.id) as captions
    from account a
    left join video v on v.account_id = $1 and v.id = $2 and v.deleted_at is null
    where a.id = $1`,
};
