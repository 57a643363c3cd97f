import { statement } from '../../../db/sql.js';
import { COUNTER_COLUMNS } from './rollupColumns.js';

/** Which of these months (epoch seconds) are built, oldest first. */
export const BUILT_MONTHS = statement<{ accountId: string; months: readonly number[] }, { at: number }>(
  'playback-built-months',
  `
    select extract(epoch from starts_at)::float8 as at from playback_month_state
    where account_id = :accountId and is_built
      and starts_at = any (array(select to_timestamp(at) from unnest(:months::float8[]) at))
    order by starts_at`,
);

/** A month of an account, in epoch seconds. */
export interface MonthRow {
  account_id: string;
  at: number;
}

/**
 * Months to build after the given one: those that ended a week ago, since a view is reported for four days at most. If
 * one still changes later, it is built again.
 */
export const DUE_MONTHS = statement<{ afterAt: number; afterAccount: string; most: number }, MonthRow>(
  'playback-due-months',
  `
    select account_id, extract(epoch from starts_at)::float8 as at from playback_month_state
    where not is_built and (starts_at, account_id) > (to_timestamp(:afterAt::float8), :afterAccount::uuid)
      and starts_at <= date_trunc('month', service_now() - interval '7 days', 'UTC') - interval '1 month'
    order by starts_at, account_id limit :most`,
);

/** Waits for all transactions that change days of this month, and holds up those that begin. */
export const LOCK_MONTH = statement<{ at: number }>(
  'playback-lock-month',
  `select pg_advisory_xact_lock(7140919, playback_month_number(to_timestamp(:at::float8)))`,
);

export const CLEAR_MONTH = statement<{ accountId: string; at: number }>(
  'playback-clear-month',
  'delete from playback_month where account_id = :accountId and starts_at = to_timestamp(:at::float8)',
);

const DAYS_OF_MONTH = `account_id = :accountId and starts_at >= to_timestamp(:at::float8)
        and starts_at < to_timestamp(:at::float8) + interval '1 month'`;

/** The sums of an array's elements. Unnested nulls keep the places of what nothing counted. */
const sumsOfElements = (column: 'startups' | 'retention') => `
      select dimension, video_id, value, array_agg(nullif(total, 0)::integer order by place) as ${column}
      from (
        select dimension, video_id, value, place, sum(counted) as total
        from playback_day, unnest(${column}) with ordinality e (counted, place) where ${DAYS_OF_MONTH}
        group by dimension, video_id, value, place
      ) elements
      group by dimension, video_id, value`;

export const SUM_MONTH = statement<{ accountId: string; at: number }>(
  'playback-sum-month',
  `
    insert into playback_month (account_id, dimension, video_id, starts_at, value, ${COUNTER_COLUMNS.join(', ')}, startups,
      retention)
    select :accountId, dimension, video_id, to_timestamp(:at::float8), value, ${COUNTER_COLUMNS.join(', ')}, startups,
      retention
    from (
      select dimension, video_id, value, ${COUNTER_COLUMNS.map((column) => `sum(${column}) as ${column}`).join(', ')}
      from playback_day where ${DAYS_OF_MONTH}
      group by dimension, video_id, value
    ) counters
    left join (${sumsOfElements('startups')}
    ) startups_of using (dimension, video_id, value)
    left join (${sumsOfElements('retention')}
    ) retention_of using (dimension, video_id, value)`,
);

export const MARK_MONTH_BUILT = statement<{ accountId: string; at: number }>(
  'playback-mark-month-built',
  `
    update playback_month_state set is_built = true
    where account_id = :accountId and starts_at = to_timestamp(:at::float8)`,
);

/** The sums of a large account take longer than other statements may. */
export const UNHURRIED = statement('playback-unhurried', 'set local statement_timeout = 0');
