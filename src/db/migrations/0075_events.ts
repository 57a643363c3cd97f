import { Migration } from '@mikro-orm/migrations';

/**
 * The event log of each account. `append_event` writes in the statement that causes the event: both commit, or neither.
 *
 * `event_fact` makes a fact an event only once, however often it is retried: a unique key of a partitioned table would
 * have to include the time. `seq` is the place in the account's log. It is given to events that have committed
 * (`number_events`), so that a reader who follows it never misses one whose transaction took longer.
 */
export class Migration0075Events extends Migration {
  override up(): void {
    this.addSql(`
      create table event (
        account_id uuid not null,
        created_at timestamptz not null,
        id uuid not null,
        type text not null,
        version smallint not null,
        data jsonb not null,
        seq bigint,
        primary key (account_id, created_at, id)
      ) partition by range (created_at)`);
    this.addSql(`create index event_in_order on event (account_id, seq)`);
    this.addSql(`create index event_unnumbered on event (account_id) where seq is null`);
    // For clocks that were moved, and for months that have no partition yet.
    this.addSql(`create table event_rest partition of event default`);
    this.addSql(`
      create table event_fact (
        account_id uuid not null,
        fact text not null,
        created_at timestamptz not null,
        primary key (account_id, fact)
      )`);
    this.addSql(`create index event_fact_oldest on event_fact (created_at)`);
    this.addSql(`
      create table event_count (
        account_id uuid primary key,
        last_seq bigint not null
      )`);
    this.addSql(`
      create function append_event(owner_id uuid, event_type text, event_version smallint, event_fact text, event_data jsonb)
      returns boolean language plpgsql set search_path = pg_catalog, public, pg_temp as $$
      declare
        event_id uuid := gen_random_uuid();
        now timestamptz := public.service_now();
      begin
        insert into public.event_fact (account_id, fact, created_at) values (owner_id, event_fact, now)
          on conflict do nothing;
        if not found then return false; end if;
        insert into public.event (account_id, created_at, id, type, version, data)
          values (owner_id, now, event_id, event_type, event_version, event_data);
        perform pg_notify('dhara_events', json_build_object('kind', 'event', 'accountId', owner_id)::text);
        return true;
      end $$`);
    this.addSql(`
      create function number_events(owner_id uuid) returns void
      language plpgsql set search_path = pg_catalog, public, pg_temp as $$
      declare
        last bigint;
        added bigint;
      begin
        perform from public.event where account_id = owner_id and seq is null limit 1;
        if not found then return; end if;
        insert into public.event_count (account_id, last_seq) values (owner_id, 0) on conflict do nothing;
        select last_seq into last from public.event_count where account_id = owner_id for update;
        with fresh as (
          select created_at, id, last + row_number() over (order by created_at, id) as seq
          from public.event where account_id = owner_id and seq is null
        ), numbered as (
          update public.event e set seq = fresh.seq from fresh
          where e.account_id = owner_id and e.created_at = fresh.created_at and e.id = fresh.id
          returning 1
        )
        select count(*) into added from numbered;
        update public.event_count set last_seq = last + added where account_id = owner_id;
      end $$`);
    this.addSql(`
      create function keep_months(kept_table text, kept_days integer) returns integer
      language plpgsql set search_path = pg_catalog, public, pg_temp as $$
      declare
        this_month timestamp := date_trunc('month', public.service_now() at time zone 'UTC');
        begins timestamp;
        part text;
        old record;
        changes integer := 0;
      begin
        set local lock_timeout = '2s';
        for n in 0..2 loop
          begins := this_month + n * interval '1 month';
          part := format('%s_%s', kept_table, to_char(begins, 'YYYY_MM'));
          continue when to_regclass('public.' || part) is not null;
          execute format('lock table public.%I in access exclusive mode', kept_table || '_rest');
          execute format('create table public.%I (like public.%I including defaults including constraints)', part, kept_table);
          execute format(
            'with moved as (delete from public.%I where created_at >= %L and created_at < %L returning *)
             insert into public.%I select * from moved',
            kept_table || '_rest', begins at time zone 'UTC', (begins + interval '1 month') at time zone 'UTC', part);
          execute format('alter table public.%I attach partition public.%I for values from (%L) to (%L)',
            kept_table, part, begins at time zone 'UTC', (begins + interval '1 month') at time zone 'UTC');
          changes := changes + 1;
        end loop;
        for old in
          select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
          where i.inhparent = ('public.' || kept_table)::regclass and c.relname ~ '_\\d{4}_\\d{2}$'
            and (to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month') at time zone 'UTC'
              <= public.service_now() - kept_days * interval '1 day'
        loop
          execute format('drop table public.%I', old.relname);
          changes := changes + 1;
        end loop;
        execute format('delete from public.%I where created_at < $1', kept_table || '_rest')
          using public.service_now() - kept_days * interval '1 day';
        return changes;
      end $$`);
    // The service owns no table. This function runs as the owner: it creates the partitions of coming months and
    // removes those that are over.
    this.addSql(`
      create function keep_event_months() returns integer
      language sql security definer set search_path = pg_catalog, public, pg_temp
      begin atomic select public.keep_months('event', 90); end`);
    this.addSql(`select keep_event_months()`);
  }
}
