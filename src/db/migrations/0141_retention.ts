import { Migration } from '@mikro-orm/migrations';

/**
 * How long events and views are kept becomes a setting, and the closing of accounts gets its table.
 *
 * The functions run as the owner of the tables, so they have a floor of their own: a compromised service cannot erase what
 * has just happened. Those without parameters stay for processes of the release before. Rows without a partition are
 * deleted in batches, so that a long backlog never becomes one long statement.
 *
 * An account can be closed and reopened several times. Each closing is a row that stays, because storage of the time
 * between the two is not charged, however late the night is.
 */
export class Migration0141Retention extends Migration {
  override up(): void {
    this.addSql(`create index notice_ended on notice (created_at) where send_after is null`);
    this.addSql(`create index quote_expired on quote (expires_at, account_id, id)`);
    this.addSql(`
      create or replace function keep_parts(kept_table text, kept_column text, part_unit text, kept_for interval)
      returns integer language plpgsql set search_path = pg_catalog, public, pg_temp as $$
      declare
        step interval := ('1 ' || part_unit)::interval;
        style text := case part_unit when 'day' then 'YYYY_MM_DD' else 'YYYY_MM' end;
        named text := case part_unit when 'day' then '_\\d{4}_\\d{2}_\\d{2}$' else '_\\d{4}_\\d{2}$' end;
        begins timestamp;
        part text;
        old record;
        changes integer := 0;
        deleted integer;
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
        execute format('delete from public.%1$I where ctid = any (array(
            select ctid from public.%1$I where %2$I < $1 limit 10000))', kept_table || '_rest', kept_column)
          using public.service_now() - kept_for;
        get diagnostics deleted = row_count;
        return changes + deleted;
      end $$`);
    this.addSql(`
      create function keep_event_months(kept_days integer) returns integer
      language sql security definer set search_path = pg_catalog, public, pg_temp
      begin atomic
        select public.keep_parts('event', 'created_at', 'month', make_interval(days => greatest(kept_days, 7)))
          + public.keep_parts('webhook_delivery', 'created_at', 'month', make_interval(days => greatest(kept_days, 7)))
          + public.keep_parts('webhook_attempt', 'created_at', 'month', make_interval(days => greatest(kept_days, 7)));
      end`);
    this.addSql(`
      create function keep_playback_parts(view_days integer, hour_months integer) returns integer
      language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
      declare
        changes integer;
      begin
        changes := public.keep_parts('playback_view', 'minted_at', 'day', make_interval(days => greatest(view_days, 2)))
          + public.keep_parts('playback_visitor', 'minted_on', 'day', interval '2 days')
          + public.keep_parts('playback_hour', 'starts_at', 'month', make_interval(months => greatest(hour_months, 2)))
          + public.keep_parts('playback_day', 'starts_at', 'month', null);
        delete from public.playback_salt where day < (public.service_now() - interval '2 days')::date;
        return changes;
      end $$`);
    this.addSql(`
      create table account_closing (
        account_id uuid not null references account (id),
        id uuid not null,
        closed_at timestamptz not null,
        erase_after timestamptz not null check (erase_after >= closed_at),
        settled_at timestamptz,
        reopened_at timestamptz,
        erased_at timestamptz check (erased_at is null or reopened_at is null),
        lapsed_micros bigint check (lapsed_micros >= 0),
        primary key (account_id, id)
      )`);
    this.addSql(`create unique index account_closing_open on account_closing (account_id) where reopened_at is null`);
    this.addSql(`
      create index account_closing_due on account_closing (erase_after, account_id)
        where reopened_at is null and erased_at is null`);
  }
}
