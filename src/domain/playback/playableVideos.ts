import { execute, type Sql, statement } from '../../db/sql.js';
import { SharedReads } from '../shared/sharedReads.js';

/** What a view needs to know about its account, video and API key, with the database's time. */
export interface PlayableRow {
  suspended: boolean;
  /** The key was revoked or deleted. */
  key_revoked: boolean;
  /** Empty if every site is allowed. */
  allowed_domains: string[];
  now_epoch: number;
  /** `null`, like all fields below, if the video does not exist. */
  id: string | null;
  title: string;
  status: string;
  plays: boolean;
  duration_ms: string | null;
  poster_path: string | null;
  /** Object-store prefix of the run that made the poster and storyboard. */
  pictures_prefix: string | null;
  /** Relative to that prefix. */
  storyboard_path: string | null;
  has_chapters: boolean;
  captions: { id: string; language: string; label: string }[] | null;
}

/** What an explanation says besides. */
export interface ExplainedRow extends PlayableRow {
  suspended_at: string | null;
  /** `null` if the video does not exist. */
  playable_rungs: string[] | null;
}

/**
 * Each view looks up its rows by itself, whatever the statistics were when PostgreSQL planned the statement. As joins, it
 * read all keys, all accounts, or all videos of an account for a dozen views.
 *
 * @param wanted rows of `account_id`, `video_id` and `key_id`, one per view; the result has a row for each existing
 *   account
 */
function textOf(first: string, wanted: string): string {
  return `
    select ${first} a.suspended_at is not null as suspended, w.key_id is not null and coalesce((
        select k.revoked_at is not null from api_key k where k.account_id = w.account_id and k.id = w.key_id
      ), true) as key_revoked,
      a.allowed_domains, extract(epoch from service_now())::float8 as now_epoch,
      v.id, v.title, v.status, cardinality(v.playable_rungs) > 0 as plays, v.duration_ms, v.poster_path,
      v.pictures_prefix, v.storyboard_path, v.chapters <> '[]' as has_chapters, (
        select json_agg(json_build_object('id', c.id, 'language', c.language, 'label', c.label)
          order by c.created_at, c.label)
        from caption c where c.account_id = v.account_id and c.video_id = v.id) as captions
    from ${wanted}
    cross join lateral (select * from account where id = w.account_id offset 0) a
    left join lateral (
      select * from video where account_id = w.account_id and id = w.video_id and deleted_at is null offset 0
    ) v on true`;
}

interface View {
  readonly accountId: string;
  /** `null` for an identifier that names no video. */
  readonly videoId: string | null;
  /** `null` for the account's own preview. */
  readonly keyId: string | null;
}

const ONE_VIEW = '(select :accountId::uuid as account_id, :videoId::uuid as video_id, :keyId::uuid as key_id) w';

const ONE = statement<View, PlayableRow>('playback-video', textOf('', ONE_VIEW));

const EXPLAINED = statement<View, ExplainedRow>(
  'playback-video-explained',
  textOf('a.suspended_at, v.playable_rungs,', ONE_VIEW),
);

const MANY = statement<
  { accountIds: readonly string[]; videoIds: readonly (string | null)[]; keyIds: readonly (string | null)[] },
  PlayableRow & { n: number }
>(
  'playback-videos',
  textOf(
    'w.n::integer,',
    'unnest(:accountIds::uuid[], :videoIds::uuid[], :keyIds::uuid[]) with ordinality w(account_id, video_id, key_id, n)',
  ),
);

/** Reads what views need. Reads that start at the same moment share a statement. */
export class PlayableVideos {
  private readonly reads: SharedReads<View, PlayableRow | null>;

  constructor(private readonly sql: Sql) {
    this.reads = new SharedReads((views) => this.ask(views));
  }

  /** Returns `null` if the account does not exist. */
  find(view: View): Promise<PlayableRow | null> {
    return this.reads.read(view);
  }

  /** The same with more of it. Returns `null` if the account does not exist. */
  async explain(view: View): Promise<ExplainedRow | null> {
    return (await execute(this.sql, EXPLAINED, view))[0] ?? null;
  }

  private async ask(views: readonly View[]): Promise<(PlayableRow | null)[]> {
    const [first] = views as [View];
    if (views.length === 1) return [(await execute(this.sql, ONE, first))[0] ?? null];
    const rows = await execute(this.sql, MANY, {
      accountIds: views.map(({ accountId }) => accountId),
      videoIds: views.map(({ videoId }) => videoId),
      keyIds: views.map(({ keyId }) => keyId),
    });
    const ofView = new Map(rows.map((row) => [row.n, row]));
    return views.map((_, nth) => ofView.get(nth + 1) ?? null);
  }
}
