import { statement } from '../../db/sql.js';
import { quotaEventsSql } from '../accounts/keys/quotaEvents.js';

/** `+` if the video is playable, its status if it is not, `null` if it does not exist. */
const stateOf = (accountId: string, videoId: string): string => `(
  select case when cardinality(v.playable_rungs) > 0 then '+' else v.status end
  from video v where v.account_id = ${accountId} and v.id = ${videoId} and v.deleted_at is null)`;

/**
 * The requested videos: `playable` is the number of requests that could be served, `states` the state of each video, in
 * order. Uses one scalar lookup per id, so the plan is index probes whatever the statistics were. The arrays are hidden
 * in sub-selects: if PostgreSQL knew their length, it would replan every time.
 */
const askedVideos = (accountId: string): string => `
  select coalesce(sum(s.n) filter (where s.state = '+'), 0)::int as playable,
         coalesce(string_agg(coalesce(s.state, '-'), ',' order by s.position), '') as states
  from (
    select asked.n, asked.position, ${stateOf(accountId, 'asked.id')} as state
    from unnest((select :videoIds::uuid[]), (select :counts::int[])) with ordinality asked (id, n, position)
    offset 0
  ) s`;

/**
 * Whether the day of key `k` is too far ahead: more than the one day that clocks may differ around midnight. A clock
 * that has since been corrected counted it. Such a key mints nothing until `recall` resets it.
 */
const isAhead = (now: string): string => `k.usage_day > (${now} at time zone 'UTC')::date + 1`;

/** Day and count of key `k` at `now`. The day never moves backwards here, even if the clock does. */
const dayOf = (now: string): string => `greatest((${now} at time zone 'UTC')::date, k.usage_day)`;
const usedAt = (now: string): string =>
  `case when (${now} at time zone 'UTC')::date > k.usage_day then 0 else k.used end`;

export interface MintRow {
  account_id: string;
  key_id: string;
  daily_limit: number;
  /** After this mint. */
  used: number;
  granted: number;
  day_epoch: number;
  /** When it was minted; always within the counted day. */
  now_epoch: number;
  states: string;
}

/**
 * Takes as many tokens as there are playable requests and quota left, and returns what it took.
 *
 * One UPDATE of the key's row. If it has to wait for the row, PostgreSQL evaluates the WHERE clause
 * and the sub-select in SET again with the new row, so it sees a limit, a revocation or a count that was committed
 * meanwhile. Anything read in FROM or a CTE would still come from the old snapshot. That is why only the account id
 * (which never changes) and the videos are read there. The sub-select reads the clock once, after the wait, so day,
 * count and `iat` cannot fall on two sides of midnight. If nothing can be granted, it returns no row and writes
 * nothing.
 */
const take = (playable: string): string => `
    update api_key k
    set (usage_day, used, last_granted, minted_at) = (
      select t.day, t.used + t.granted, t.granted, greatest(t.now, t.day::timestamp at time zone 'UTC')
      from (
        select c.now, ${dayOf('c.now')} as day, ${usedAt('c.now')} as used,
               greatest(least(${playable}, k.daily_limit - ${usedAt('c.now')}), 0) as granted
        from (select service_now() as now offset 0) c
      ) t
    )`;
const MAY_MINT = `k.revoked_at is null and not k.suspended and k.daily_limit > ${usedAt('service_now()')}
      and not ${isAhead('service_now()')}`;
const TAKEN = `k.account_id, k.id as key_id, k.daily_limit, k.used, k.last_granted as granted,
      extract(epoch from k.usage_day)::float8 as day_epoch, extract(epoch from k.minted_at)::float8 as now_epoch,
      ${quotaEventsSql('k', 'k.used - k.last_granted')}`;

/** One key's requests for one video. */
export interface KeyRequest {
  readonly hash: Buffer;
  readonly videoId: string;
  readonly count: number;
}

/** Nearly every mint uses this. */
export const mintOne = statement<KeyRequest, MintRow>(
  'playback-mint-one',
  `${take(':count::int')}
    from video v
    where k.hash = :hash and ${MAY_MINT}
      and v.account_id = k.account_id and v.id = :videoId and v.deleted_at is null and cardinality(v.playable_rungs) > 0
    returning ${TAKEN}, '+' as states`,
);

/** One key's requests for several videos. */
export interface KeyRequests {
  readonly hash: Buffer;
  readonly videoIds: readonly string[];
  /** How often each video is requested. */
  readonly counts: readonly number[];
}

export const mintMany = statement<KeyRequests, MintRow>(
  'playback-mint-many',
  `${take('asked.playable')}
    from api_key same
    cross join lateral (${askedVideos('same.account_id')}) asked
    where same.hash = :hash and k.account_id = same.account_id and k.id = same.id
      and ${MAY_MINT} and asked.playable > 0
    returning ${TAKEN}, asked.states`,
);

/**
 * `mintOne` for many keys in one round trip and one commit. Each key appears once. It never waits for a row: a
 * key whose row is locked returns no row, like a key that may not mint. So keys never wait for each other, and
 * statements that list the same keys in different orders cannot deadlock.
 *
 * Keys and videos are looked up one by one, and `k.hash = any (:hashes)` keeps the update to index probes too. A connection
 * plans this once: joined, a plan made for five accounts read all keys and videos when there were a thousand.
 */
export const mintKeys = statement<
  { hashes: readonly Buffer[]; videoIds: readonly string[]; counts: readonly number[] },
  MintRow & { hash: Buffer }
>(
  'playback-mint-keys',
  `
    with free as materialized (
      select held.account_id, held.id, asked.n
      from unnest((select :hashes::bytea[]), (select :videoIds::uuid[]), (select :counts::int[]))
        asked (hash, video_id, n)
      cross join lateral (
        select h.account_id, h.id from api_key h where h.hash = asked.hash for no key update skip locked
      ) held
      cross join lateral (
        select from video v
        where v.account_id = held.account_id and v.id = asked.video_id
          and v.deleted_at is null and cardinality(v.playable_rungs) > 0
        offset 0
      ) playable
    )
    ${take('free.n')}
    from free
    where k.hash = any (:hashes) and k.account_id = free.account_id and k.id = free.id and ${MAY_MINT}
    returning ${TAKEN}, '+' as states, k.hash`,
);

export interface ExplainRow {
  /** `null` if the key does not exist. */
  account_id: string | null;
  key_id: string | null;
  revoked: boolean;
  suspended: boolean;
  daily_limit: number;
  used: number;
  /** A wrong clock counted the key's day: call `recall` and ask again. */
  ahead: boolean;
  day_epoch: number;
  now_epoch: number;
  states: string;
}

/** Explains why a mint granted nothing. Always returns one row, so the caller learns the time even for an unknown key. */
export const explain = statement<KeyRequests, ExplainRow>(
  'playback-mint-explain',
  `
    select k.account_id, k.id as key_id, k.revoked_at is not null as revoked, coalesce(k.suspended, false) as suspended,
      coalesce(k.daily_limit, 0) as daily_limit, coalesce(${usedAt('c.now')}, 0) as used,
      coalesce(${isAhead('c.now')}, false) as ahead,
      extract(epoch from ${dayOf('c.now')})::float8 as day_epoch,
      extract(epoch from c.now)::float8 as now_epoch,
      asked.states
    from (select service_now() as now offset 0) c
    left join api_key k on k.hash = :hash
    cross join lateral (${askedVideos('k.account_id')}) asked`,
);

/** Resets the key if its day is too far ahead; leaves any other key as it is. */
export const recall = statement<{ hash: Buffer }>(
  'playback-recall-key',
  `select ${quotaEventsSql('k', '0')} from recall_key_day(:hash) k`,
);
