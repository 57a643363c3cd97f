import type { Statement } from '../../db/sql.js';

/** `+` when the video plays, its status when it does not, `null` when there is none. */
const stateOf = (accountId: string, videoId: string): string => `(
  select case when cardinality(v.playable_rungs) > 0 then '+' else v.status end
  from video v where v.account_id = ${accountId} and v.id = ${videoId} and v.deleted_at is null)`;

/**
 * Of the videos asked for (`$2` ids, `$3` how often each): `playable`, how many requests could be served, and
 * `states`, what each video is, in order. A scalar look-up per id, so that the plan is index probes whatever the
 * statistics were when it was made. The arrays are hidden in sub-selects: were their length known, PostgreSQL would
 * plan anew each time.
 */
const askedVideos = (accountId: string): string => `
  select coalesce(sum(s.n) filter (where s.state = '+'), 0)::int as playable,
         coalesce(string_agg(coalesce(s.state, '-'), ',' order by s.position), '') as states
  from (
    select asked.n, asked.position, ${stateOf(accountId, 'asked.id')} as state
    from unnest((select $2::uuid[]), (select $3::int[])) with ordinality asked (id, n, position)
    offset 0
  ) s`;

/**
 * Whether the day of key `k` lies further ahead than the day that a clock is off around midnight: it was counted by a
 * clock that was mended since. Such a key mints nothing until `recall` has brought it back.
 */
const isAhead = (now: string): string => `k.usage_day > (${now} at time zone 'UTC')::date + 1`;

/** Day and count of key `k` at `now`. The day does not go backwards by itself, even where the clock does. */
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
  /** When it was minted: within the day that was counted. */
  now_epoch: number;
  states: string;
}

/**
 * Takes as many tokens as there are playable requests and quota left, and says what it took.
 *
 * One UPDATE of the key's row (`$1` its hash). When it has to wait for the row, PostgreSQL evaluates the WHERE clause
 * and the sub-select in SET anew with what the row has become, so a limit, a revocation or a count committed meanwhile
 * decides; anything read in FROM or a CTE would still be the old snapshot's. That is why only account id (which never
 * changes) and the videos come from elsewhere. The sub-select reads the clock once, after the wait: day, count and
 * `iat` cannot fall on two sides of a midnight. No row comes back where nothing can be granted: then nothing is
 * written.
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
      extract(epoch from k.usage_day)::float8 as day_epoch, extract(epoch from k.minted_at)::float8 as now_epoch`;

/** `$3` requests for one video `$2`: nearly every mint is this. */
export const mintOne: Statement = {
  name: 'playback-mint-one',
  text: `${take('$3::int')}
    from video v
    where k.hash = $1 and ${MAY_MINT}
      and v.account_id = k.account_id and v.id = $2 and v.deleted_at is null and cardinality(v.playable_rungs) > 0
    returning ${TAKEN}, '+' as states`,
};

export const mintMany: Statement = {
  name: 'playback-mint-many',
  text: `${take('asked.playable')}
    from api_key same
    cross join lateral (${askedVideos('same.account_id')}) asked
    where same.hash = $1 and k.account_id = same.account_id and k.id = same.id
      and ${MAY_MINT} and asked.playable > 0
    returning ${TAKEN}, asked.states`,
};

/** One key of `mintKeys`: so many requests for one video. */
export interface KeyRequest {
  readonly hash: Buffer;
  readonly videoId: string;
  readonly count: number;
}

/**
 * `mintOne` for many keys, each of which stands in `$1` once: one round trip and one commit for all. It waits for no row:
 * keys that somebody else holds have no row in the result, as those that may not mint. So keys never wait for each other,
 * and statements with the same keys in other orders cannot block one another.
 */
export const mintKeys: Statement = {
  name: 'playback-mint-keys',
  text: `
    with free as materialized (
      select held.account_id, held.id, asked.video_id, asked.n
      from unnest((select $1::bytea[]), (select $2::uuid[]), (select $3::int[])) asked (hash, video_id, n)
      cross join lateral (
        select h.account_id, h.id from api_key h where h.hash = asked.hash for no key update skip locked
      ) held
    )
    ${take('free.n')}
    from free
    join video v on v.account_id = free.account_id and v.id = free.video_id
    where k.account_id = free.account_id and k.id = free.id and ${MAY_MINT}
      and v.deleted_at is null and cardinality(v.playable_rungs) > 0
    returning ${TAKEN}, '+' as states, k.hash`,
};

export interface ExplainRow {
  /** `null` where there is no such key. */
  account_id: string | null;
  key_id: string | null;
  revoked: boolean;
  suspended: boolean;
  daily_limit: number;
  used: number;
  /** Its day is one of a clock that was wrong: `recall` it, and ask again. */
  ahead: boolean;
  day_epoch: number;
  now_epoch: number;
  states: string;
}

/** Why the mint gave nothing. Always one row: even an unknown key is told the time. Parameters as in `mintMany`. */
export const explain: Statement = {
  name: 'playback-mint-explain',
  text: `
    select k.account_id, k.id as key_id, k.revoked_at is not null as revoked, coalesce(k.suspended, false) as suspended,
      coalesce(k.daily_limit, 0) as daily_limit, coalesce(${usedAt('c.now')}, 0) as used,
      coalesce(${isAhead('c.now')}, false) as ahead,
      extract(epoch from ${dayOf('c.now')})::float8 as day_epoch,
      extract(epoch from c.now)::float8 as now_epoch,
      asked.states
    from (select service_now() as now offset 0) c
    left join api_key k on k.hash = $1
    cross join lateral (${askedVideos('k.account_id')}) asked`,
};

/** Brings the key `$1` back from a day ahead; one that is not there stays as it is. */
export const recall: Statement = { name: 'playback-recall-key-day', text: 'select recall_key_day($1)' };
