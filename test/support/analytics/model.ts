import type pg from 'pg';

/** A rollup, recomputed from scratch: counters by `account dimension video hour value`. */
export type Rollup = Record<string, Record<string, unknown>>;

const ALL = '00000000-0000-0000-0000-000000000000';

interface ViewRow {
  account_id: string;
  video_id: string;
  key_id: string | null;
  minted: number;
  audience: string;
  country: string;
  browser: string;
  device: string;
  duration_ms: number;
  seq: number;
  startup_ms: number | null;
  watched_ms: number;
  stalled_ms: number;
  stalls: number;
  switches: number;
  ranges: number[];
  errors: unknown[];
  ended: boolean;
}

/** What the rows of views say, added up one by one, without the visitors. */
export async function recomputed(rows: pg.Pool, stepSeconds: number): Promise<Rollup> {
  const { rows: views } = await rows.query<ViewRow>(
    `select *, extract(epoch from minted_at)::float8 as minted from playback_view`,
  );
  const rollup: Rollup = {};
  for (const view of views) {
    const dimensions =
      view.audience === 'viewer'
        ? { all: '', country: view.country, browser: view.browser, device: view.device, key: view.key_id ?? '' }
        : { left_out: view.audience };
    const at = Math.floor(view.minted / stepSeconds) * stepSeconds;
    const watched = Array.from({ length: 100 }, (_, n) => isWatched(view, n));
    for (const [dimension, value] of Object.entries(dimensions)) {
      for (const video of [view.video_id, ALL]) {
        const row = (rollup[`${view.account_id} ${dimension} ${video} ${at} ${value}`] ??= {
          views: 0,
          reported: 0,
          plays: 0,
          completions: 0,
          exits: 0,
          watched_ms: 0,
          watched_hundredths: 0,
          stalled_ms: 0,
          stalls: 0,
          switches: 0,
          errors: 0,
          startups: 0,
          fine_startups: 0,
          retention: dimension === 'all' && video !== ALL ? Array<number>(100).fill(0) : null,
        }) as Record<string, number> & { retention: number[] | null };
        row['views']! += 1;
        row['reported']! += Number(view.seq > 0);
        row['plays']! += Number(view.startup_ms !== null);
        row['completions']! += Number(view.ended);
        row['exits']! += Number(view.seq > 0 && view.startup_ms === null);
        row['watched_ms']! += view.watched_ms;
        row['watched_hundredths']! += watched.filter(Boolean).length;
        row['stalled_ms']! += view.stalled_ms;
        row['stalls']! += view.stalls;
        row['switches']! += view.switches;
        row['errors']! += view.errors.length;
        row['startups']! += Number(view.startup_ms !== null);
        row['fine_startups']! += Number(view.startup_ms !== null && dimension === 'all');
        row.retention?.forEach((count, n) => (row.retention![n] = count + Number(watched[n])));
      }
    }
  }
  return rollup;
}

/** What the table says, in the same shape. */
export async function kept(rows: pg.Pool, table: 'playback_hour' | 'playback_day'): Promise<Rollup> {
  const { rows: found } = await rows.query(
    `select concat_ws(' ', account_id, dimension, video_id, extract(epoch from starts_at)::bigint, value) as name,
       views, reported, plays, completions, exits, watched_ms::float8 as watched_ms,
       watched_hundredths::float8 as watched_hundredths, stalled_ms::float8 as stalled_ms, stalls, switches, errors,
       (select coalesce(sum(n), 0)::int from unnest(startups) n) as startups,
       (select coalesce(sum(n), 0)::int from unnest(fine_startups) n) as fine_startups,
       case when dimension = 'all' and video_id <> '${ALL}' then
         array(select coalesce(retention[n], 0) from generate_series(1, 100) n) end as retention
     from ${table}`,
  );
  return Object.fromEntries(found.map(({ name, ...row }) => [name, row]));
}

/** At least half of it. */
function isWatched({ ranges, duration_ms: durationMs }: ViewRow, hundredth: number): boolean {
  const from = (hundredth * durationMs) / 100;
  const to = ((hundredth + 1) * durationMs) / 100;
  let watchedMs = 0;
  for (let at = 0; at < ranges.length; at += 2) {
    watchedMs += Math.max(0, Math.min(to, ranges[at + 1]!) - Math.max(from, ranges[at]!));
  }
  return watchedMs >= (to - from) / 2;
}

/** Rows of built months that are not the sums of their days, each with what both say. */
export async function wrongMonths(rows: pg.Pool): Promise<unknown[]> {
  const counters = `views uniques reported plays completions exits watched_ms watched_hundredths stalled_ms stalls switches errors`;
  const names = counters.split(' ');
  const sums = (table: string) => `
    select account_id, date_trunc('month', starts_at, 'UTC') as month, dimension, video_id, value,
      ${names.map((name) => `sum(${name}) as ${name}`).join(', ')}
    from ${table} group by 1, 2, 3, 4, 5`;
  const elements = (table: string, column: string) => `
    select '${column}' as name, account_id, date_trunc('month', starts_at, 'UTC') as month, dimension, video_id, value, n,
      sum(count) as total
    from ${table}, unnest(${column}) with ordinality u (count, n) where count <> 0 group by 2, 3, 4, 5, 6, 7`;
  const wrong = async (of: (table: string) => string) => {
    const found = await rows.query<{ wrong: unknown }>(`
      select to_json(d) as wrong from (
        (select 'only of days' as side, x.* from (${of('playback_day')} except ${of('playback_month')}) x)
        union all
        (select 'only of months' as side, x.* from (${of('playback_month')} except ${of('playback_day')}) x)
      ) d
      join playback_month_state s on s.account_id = d.account_id and s.starts_at = d.month and s.is_built`);
    return found.rows.map((row) => row.wrong);
  };
  return [
    ...(await wrong(sums)),
    ...(await wrong((table) => elements(table, 'startups'))),
    ...(await wrong((table) => elements(table, 'retention'))),
  ];
}
