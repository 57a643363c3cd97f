import { Migration } from '@mikro-orm/migrations';

/**
 * Sums of whole months, so that a question about a year reads a few rows instead of hundreds per value. A month is built
 * from its days by a worker, and used while `is_built` says that it still equals them.
 *
 * A trigger on the days withdraws that, so a process of the version before cannot leave a month wrong either.
 */
export class Migration0147PlaybackMonths extends Migration {
  override up(): void {
    this.addSql(`
      create table playback_month (
        account_id uuid not null,
        dimension text not null,
        video_id uuid not null,
        starts_at timestamptz not null,
        value text not null,
        views bigint not null,
        uniques bigint not null,
        reported bigint not null,
        plays bigint not null,
        completions bigint not null,
        exits bigint not null,
        watched_ms bigint not null,
        watched_hundredths bigint not null,
        stalled_ms bigint not null,
        stalls bigint not null,
        switches bigint not null,
        errors bigint not null,
        startups integer[],
        retention integer[],
        primary key (account_id, dimension, video_id, starts_at, value)
      )`);
    // Every month of an account that has a day.
    this.addSql(`
      create table playback_month_state (
        account_id uuid not null,
        starts_at timestamptz not null,
        is_built boolean not null default false,
        primary key (account_id, starts_at)
      )`);
    this.addSql(
      `create index playback_month_to_build on playback_month_state (starts_at, account_id) where not is_built`,
    );
    this.addSql(`
      create function playback_month_number(at timestamptz) returns integer
      language sql immutable set search_path = pg_catalog, public, pg_temp
      begin atomic
        select (extract(year from at at time zone 'UTC') * 12 + extract(month from at at time zone 'UTC'))::integer;
      end`);
    // The lock keeps a month from being built while its days change: whoever builds it holds the same lock alone. It is
    // taken when the rows of the days are locked already, and builders lock no row of a day, so nobody waits in a circle.
    this.addSql(`
      create function note_playback_months() returns trigger
      language plpgsql set search_path = pg_catalog, public, pg_temp as $$
      begin
        perform pg_advisory_xact_lock_shared(7140919, playback_month_number(months.starts_at))
        from (select distinct date_trunc('month', starts_at, 'UTC') as starts_at from changed order by 1) months;
        insert into public.playback_month_state (account_id, starts_at)
        select months.account_id, months.starts_at
        from (select distinct account_id, date_trunc('month', starts_at, 'UTC') as starts_at from changed) months
        where not exists (
          select from public.playback_month_state known
          where known.account_id = months.account_id and known.starts_at = months.starts_at and not known.is_built
        )
        order by 1, 2
        on conflict (account_id, starts_at) do update set is_built = false;
        return null;
      end $$`);
    // Before the triggers, which wait for all writers: a month that begins meanwhile is noted with its next report.
    this.addSql(`
      insert into playback_month_state (account_id, starts_at)
      select distinct account_id, date_trunc('month', starts_at, 'UTC') from playback_day
      where video_id = '00000000-0000-0000-0000-000000000000'`);
    for (const event of ['insert', 'update']) {
      this.addSql(`
      create trigger playback_day_${event}_notes_months after ${event} on playback_day
        referencing new table as changed for each statement execute function note_playback_months()`);
    }
    // The videos with the most views are found in these alone.
    for (const table of ['playback_day', 'playback_month']) {
      this.addSql(`
      create index ${table}_top on ${table} (account_id, starts_at, video_id) include (views) where dimension = 'all'`);
    }
  }
}
