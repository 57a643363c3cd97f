import type { Statement } from '../../../db/sql.js';

/** Times in milliseconds since 1970. */
export interface ClockRow {
  /** The service's clock, which tests move. */
  readonly now: number;
  /** The database machine's own. */
  readonly machine_now: number;
  readonly today: string;
  readonly seen_at: number;
  readonly held_since: string | null;
  readonly held_why: string | null;
  /** When this machine booted, as it was last reckoned; `null` where it was not seen before. */
  readonly booted_at: number | null;
  readonly anchored_at: number | null;
}

const ms = (time: string): string => `(extract(epoch from ${time}) * 1000)::float8`;

/** `$1` names this run of this machine. */
export const READ_CLOCK: Statement = {
  name: 'clock-read',
  text: `
    select ${ms('t.now')} as now, ${ms('clock_timestamp()')} as machine_now,
      (t.now at time zone 'UTC')::date::text as today, ${ms('c.seen_at')} as seen_at, c.held_since, c.held_why,
      ${ms('m.booted_at')} as booted_at, ${ms('m.anchored_at')} as anchored_at
    from service_clock c cross join (select service_now() as now offset 0) t left join clock_machine m on m.run_id = $1`,
};

/** The same, and nobody else looks until the end of the transaction. */
export const LOCK_CLOCK: Statement = { name: 'clock-lock', text: `${READ_CLOCK.text} for update of c` };

const at = (millis: string): string => `to_timestamp(${millis}::float8 / 1000)`;

export const SEEN: Statement = {
  name: 'clock-seen',
  text: `update service_clock set seen_at = greatest(seen_at, ${at('$1')}) where held_since is null`,
};

export const ANCHOR: Statement = {
  name: 'clock-anchor',
  text: `
    insert into clock_machine (run_id, booted_at, anchored_at) values ($1, ${at('$2')}, ${at('$3')})
    on conflict (run_id) do update set booted_at = excluded.booted_at, anchored_at = excluded.anchored_at`,
};

/** Machines that were not seen for a month have stopped, or booted since. */
export const FORGET_MACHINES: Statement = {
  name: 'clock-forget-machines',
  text: `delete from clock_machine where anchored_at < ${at('$1')} - interval '30 days'`,
};

export const HOLD: Statement = {
  name: 'clock-hold',
  text: `update service_clock set held_since = ${at('$1')}, held_why = $2`,
};

export const ACCEPT: Statement = {
  name: 'clock-accept',
  text: `
    update service_clock set seen_at = ${at('$1')}, held_since = null, held_why = null,
      nights_confirmed_through = $2::date - 1`,
};

/** What was stored or removed while the clock was ahead counts from now on. Reads the table whole: a person asks for it. */
export const MEND_STORED: Statement = {
  name: 'clock-mend-stored',
  text: `
    update stored_object set stored_at = least(stored_at, ${at('$1')}),
      removed_at = case when removed_at is not null then least(removed_at, ${at('$1')}) end
    where stored_at > ${at('$1')} or removed_at > ${at('$1')}`,
};

/** What was reckoned by the clock that was wrong is reckoned anew. */
export const FORGET_ANCHORS: Statement = { name: 'clock-forget-anchors', text: 'delete from clock_machine' };

export const RESOLVE_ALERTS: Statement = {
  name: 'clock-resolve-alerts',
  text: `
    update alert set resolved_at = service_now(), announced_at = coalesce(announced_at, service_now())
    where kind in ('clock.held', 'storage.late') and resolved_at is null`,
};
