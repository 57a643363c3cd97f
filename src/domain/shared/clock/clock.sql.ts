import { statement } from '../../../db/sql.js';
import { closeAlerts } from '../alerts/alert.sql.js';

/** Times in milliseconds since 1970. */
export interface ClockRow {
  /** The service's clock, which tests move. */
  readonly now: number;
  /** The clock of the database's machine. */
  readonly machine_now: number;
  readonly today: string;
  readonly seen_at: number;
  readonly held_since: string | null;
  readonly held_why: string | null;
  /** When this machine booted, as last calculated; `null` if it was not seen before. */
  readonly booted_at: number | null;
  readonly anchored_at: number | null;
}

const ms = (time: string): string => `(extract(epoch from ${time}) * 1000)::float8`;

const READ = `
    select ${ms('t.now')} as now, ${ms('clock_timestamp()')} as machine_now,
      (t.now at time zone 'UTC')::date::text as today, ${ms('c.seen_at')} as seen_at, c.held_since, c.held_why,
      ${ms('m.booted_at')} as booted_at, ${ms('m.anchored_at')} as anchored_at
    from service_clock c cross join (select service_now() as now offset 0) t left join clock_machine m on m.run_id = :runId`;

/** `:runId` identifies one boot of one machine. */
export const READ_CLOCK = statement<{ runId: string }, ClockRow>('clock-read', READ);

/** Like `READ_CLOCK`, and blocks other checks until the transaction ends. */
export const LOCK_CLOCK = statement<{ runId: string }, ClockRow>('clock-lock', `${READ} for update of c`);

const at = (millis: string): string => `to_timestamp(${millis}::float8 / 1000)`;

export const SEEN = statement<{ now: number }>(
  'clock-seen',
  `update service_clock set seen_at = greatest(seen_at, ${at(':now')}) where held_since is null`,
);

export const ANCHOR = statement<{ runId: string; bootedAtMs: number; now: number }>(
  'clock-anchor',
  `
    insert into clock_machine (run_id, booted_at, anchored_at) values (:runId, ${at(':bootedAtMs')}, ${at(':now')})
    on conflict (run_id) do update set booted_at = excluded.booted_at, anchored_at = excluded.anchored_at`,
);

/** A machine not seen for a month has stopped or rebooted. */
export const FORGET_MACHINES = statement<{ now: number }>(
  'clock-forget-machines',
  `delete from clock_machine where anchored_at < ${at(':now')} - interval '30 days'`,
);

export const HOLD = statement<{ now: number; wrong: string }>(
  'clock-hold',
  `update service_clock set held_since = ${at(':now')}, held_why = :wrong`,
);

export const ACCEPT = statement<{ now: number; today: string }>(
  'clock-accept',
  `
    update service_clock set seen_at = ${at(':now')}, held_since = null, held_why = null,
      nights_confirmed_through = :today::date - 1`,
);

/** Drops boot times that were calculated with the wrong clock; the next checks calculate them again. */
export const FORGET_ANCHORS = statement('clock-forget-anchors', 'delete from clock_machine');

export const RESOLVE_ALERTS = statement(
  'clock-resolve-alerts',
  `
    ${closeAlerts(`kind in ('clock.held', 'storage.late')`)}`,
);

/** SQL: whether daily charges are held, and until when late nights were confirmed. */
export const CLOCK_STATE = '(select held_since, nights_confirmed_through from service_clock)';

/** Part of a statement: the nights from a reversal in `begun` on, a query with its `from_day`, wait for a person again. */
export const unconfirmNights = (
  begun: string,
): string => `update service_clock set nights_confirmed_through = ${begun}.from_day - 1
    from ${begun} where nights_confirmed_through >= ${begun}.from_day`;
