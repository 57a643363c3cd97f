import { statement } from '../../../db/sql.js';
import type { ActorKind } from '../actor.js';
import { NOW_ONCE } from '../clock/now.js';
import { microsOf, timeOf } from '../micros.js';

/** What is recorded, as GraphQL's `VideoActivityKind` lists it. */
export type VideoChangeKind =
  | 'video.uploaded'
  | 'video.measured'
  | 'video.bought'
  | 'video.cancelled'
  | 'video.details'
  | 'video.tags'
  | 'video.captions'
  | 'video.chapters'
  | 'video.poster'
  | 'video.minted'
  | 'video.deleted'
  | 'video.restored';

/** Parameters of a statement with `recordVideoChange`; `actorFor` finds them. */
export interface ByActor {
  readonly actor: ActorKind;
  readonly actorId: string | null;
}

/**
 * SQL for the RETURNING of a statement on `video`: records the change in the statement that makes it, with the parameters
 * of `ByActor`.
 *
 * @param table alias of `video`, where its columns need one
 */
export function recordVideoChange(kind: VideoChangeKind, table?: string): string {
  return recordSql(`'${kind}'`, table);
}

/** As `recordVideoChange`, for a statement whose parameter `:kind` says what is changed. */
export function recordGivenVideoChange(): string {
  return recordSql(':kind::text');
}

function recordSql(kind: string, table?: string): string {
  const of = table === undefined ? '' : `${table}.`;
  return `record_video_change(${of}account_id, ${of}id, ${kind}, :actor::text, :actorId::uuid)`;
}

/**
 * Part of a statement, as `recordVideoChange`: each purchase of processing is a separate change, even two in one hour,
 * and so is its cancellation.
 *
 * @param changed the name of a query with `account_id`, `id` and `attempt` of the video
 */
export function recordChangeOfAttempt(kind: 'video.bought' | 'video.cancelled', changed: string): string {
  return `insert into video_change (account_id, video_id, fact, kind, actor, actor_id, created_at)
      select account_id, id, '${kind}:attempt:' || attempt, '${kind}', :actor::text, :actorId::uuid, service_now()
      from ${changed} on conflict do nothing`;
}

interface Kept {
  /** How many days changes are kept. */
  keepDays: number;
}

/** What was done to a video before a moment, newest first. A retry by support is in the audit trail. */
export const CHANGES_OF_VIDEO = statement<
  Kept & { accountId: string; videoId: string; beforeMicros: string; first: number },
  { kind: VideoChangeKind; actor: ActorKind; actor_id: string | null; at_micros: string }
>(
  'video-change-of-video',
  `
    select kind, actor, actor_id, ${microsOf('created_at')} as at_micros from video_change
    where account_id = :accountId and video_id = :videoId and created_at < ${timeOf(':beforeMicros')}
      and created_at > service_now() - make_interval(days => :keepDays) and (kind, actor) <> ('video.bought', 'support')
    order by created_at desc, fact desc limit :first`,
);

/** The first tokens of days, in the order of the primary key, so that processes do not wait for each other in a circle. */
export const RECORD_FIRST_TOKENS = statement<{
  accountIds: readonly string[];
  videoIds: readonly string[];
  keyIds: readonly string[];
  /** Epoch seconds. */
  times: readonly number[];
}>(
  'video-change-first-tokens',
  `
    insert into video_change (account_id, video_id, fact, kind, actor, actor_id, created_at)
    select t.account_id, t.video_id, 'video.minted:' || t.key_id || ':' || (t.at at time zone 'UTC')::date, 'video.minted',
      'api_key', t.key_id, t.at
    from (
      select a.account_id, a.video_id, a.key_id, to_timestamp(a.seconds) as at
      from unnest(:accountIds::uuid[], :videoIds::uuid[], :keyIds::uuid[], :times::float8[])
        a (account_id, video_id, key_id, seconds)
    ) t
    order by 1, 2, 3
    on conflict do nothing`,
);

export const FORGET_BATCH = 5_000;

export const FORGET_CHANGES = statement<Kept, { forgotten: number }>(
  'video-change-forget',
  `
    delete from video_change where (account_id, video_id, fact) in (
      select account_id, video_id, fact from video_change
      where created_at < ${NOW_ONCE} - make_interval(days => :keepDays)
      order by created_at limit ${FORGET_BATCH})
    returning 1 as forgotten`,
);
