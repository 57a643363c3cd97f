import { Migration } from '@mikro-orm/migrations';

/** Counters of views that can be added up. Hours and days have the same. */
const FIGURES = `
        views integer not null default 0,
        uniques integer not null default 0,
        reported integer not null default 0,
        plays integer not null default 0,
        completions integer not null default 0,
        exits integer not null default 0,
        watched_ms bigint not null default 0,
        watched_hundredths bigint not null default 0,
        stalled_ms bigint not null default 0,
        stalls integer not null default 0,
        switches integer not null default 0,
        errors integer not null default 0,
        startups integer[],
        retention integer[]`;

/**
 * Views and their rollups. A view is one exchanged token; its time is when the token was minted, which every exchange
 * of the token agrees on, so the primary key makes it one row.
 *
 * A rollup row is one value of one dimension, of one video or of all the account's videos (the nil UUID).
 */
export class Migration0098PlaybackViews extends Migration {
  override up(): void {
    this.addSql(`
      create table playback_view (
        account_id uuid not null,
        minted_at timestamptz not null,
        id uuid not null,
        video_id uuid not null,
        key_id uuid,
        audience text not null check (audience in ('viewer', 'bot', 'preview')),
        duration_ms integer not null,
        country text not null,
        browser text not null,
        device text not null,
        seq integer not null default 0,
        reported_at timestamptz,
        startup_ms integer,
        watched_ms integer not null default 0,
        stalled_ms integer not null default 0,
        stalls integer not null default 0,
        switches integer not null default 0,
        ranges integer[] not null default '{}',
        errors jsonb not null default '[]',
        ended boolean not null default false,
        primary key (account_id, id, minted_at)
      ) partition by range (minted_at)`);
    // For clocks that were moved, and for days that have no partition yet.
    this.addSql(`create table playback_view_rest partition of playback_view default`);
    this.addSql(`
      create table playback_visitor (
        account_id uuid not null,
        minted_on date not null,
        video_id uuid not null,
        visitor bytea not null,
        primary key (account_id, video_id, visitor, minted_on)
      ) partition by range (minted_on)`);
    this.addSql(`create table playback_visitor_rest partition of playback_visitor default`);
    this.addSql(`create table playback_salt (day date primary key, salt bytea not null)`);
    for (const table of ['playback_hour', 'playback_day']) {
      this.addSql(`
      create table ${table} (
        account_id uuid not null,
        dimension text not null,
        video_id uuid not null,
        starts_at timestamptz not null,
        value text not null,${FIGURES},
        primary key (account_id, dimension, video_id, starts_at, value)
      ) partition by range (starts_at)`);
      this.addSql(`create table ${table}_rest partition of ${table} default`);
    }
    // An element that is null takes one bit, so a histogram stores only what it counted.
    this.addSql(`
      create function add_counts(a integer[], b integer[]) returns integer[]
      language sql immutable set search_path = pg_catalog, public, pg_temp
      begin atomic
        select case when a is null then b when b is null then a else array(
          select nullif(coalesce(u.x, 0) + coalesce(u.y, 0), 0) from unnest(a, b) with ordinality u (x, y, n) order by u.n
        ) end;
      end`);
    this.addSql(`
      create function keep_parts(kept_table text, kept_column text, part_unit text, kept_for interval) returns integer
      language plpgsql set search_path = pg_catalog, public, pg_temp as $$
      declare
        step interval := ('1 ' || part_unit)::interval;
        style text := case part_unit when 'day' then 'YYYY_MM_DD' else 'YYYY_MM' end;
        named text := case part_unit when 'day' then '_\\d{4}_\\d{2}_\\d{2}$' else '_\\d{4}_\\d{2}$' end;
        begins timestamp;
        part text;
        old record;
        changes integer := 0;
      begin
        set local lock_timeout = '2s';
        for n in 0..2 loop
          begins := date_trunc(part_unit, public.service_now() at time zone 'UTC') + n * step;
          part := format('%s_%s', kept_table, to_char(begins, style));
          continue when to_regclass('public.' || part) is not null;
          -- The parent first, as every statement on the table does.
          execute format('lock table only public.%I in access exclusive mode', kept_table);
          execute format('lock table public.%I in access exclusive mode', kept_table || '_rest');
          execute format('create table public.%I (like public.%I including defaults including constraints)', part, kept_table);
          execute format(
            'with moved as (delete from public.%1$I where %3$I >= %4$L and %3$I < %5$L returning *)
             insert into public.%2$I select * from moved',
            kept_table || '_rest', part, kept_column, begins at time zone 'UTC', (begins + step) at time zone 'UTC');
          execute format('alter table public.%I attach partition public.%I for values from (%L) to (%L)',
            kept_table, part, begins at time zone 'UTC', (begins + step) at time zone 'UTC');
          changes := changes + 1;
        end loop;
        if kept_for is null then return changes; end if;
        for old in
          select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
          where i.inhparent = ('public.' || kept_table)::regclass and c.relname ~ named
            and (to_date(substring(c.relname from named), '_' || style) + step) at time zone 'UTC'
              <= public.service_now() - kept_for
        loop
          execute format('drop table public.%I', old.relname);
          changes := changes + 1;
        end loop;
        execute format('delete from public.%I where %I < $1', kept_table || '_rest', kept_column)
          using public.service_now() - kept_for;
        return changes;
      end $$`);
    this.addSql(`
      create or replace function keep_event_months() returns integer
      language sql security definer set search_path = pg_catalog, public, pg_temp
      begin atomic
        select public.keep_parts('event', 'created_at', 'month', interval '90 days')
          + public.keep_parts('webhook_delivery', 'created_at', 'month', interval '90 days')
          + public.keep_parts('webhook_attempt', 'created_at', 'month', interval '90 days');
      end`);
    this.addSql(`drop function keep_months(text, integer)`);
    // Runs as the owner, because the service owns no table. A salt that is gone makes its day's visitors anonymous for
    // good.
    this.addSql(`
      create function keep_playback_parts() returns integer
      language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
      declare
        changes integer;
      begin
        changes := public.keep_parts('playback_view', 'minted_at', 'day', interval '30 days')
          + public.keep_parts('playback_visitor', 'minted_on', 'day', interval '2 days')
          + public.keep_parts('playback_hour', 'starts_at', 'month', interval '13 months')
          + public.keep_parts('playback_day', 'starts_at', 'month', null);
        delete from public.playback_salt where day < (public.service_now() - interval '2 days')::date;
        return changes;
      end $$`);
    this.addSql(`select keep_playback_parts()`);
  }
}
