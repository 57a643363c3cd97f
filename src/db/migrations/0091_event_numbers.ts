import { Migration } from '@mikro-orm/migrations';

/**
 * Numbers 5,000 events of an account at a time, the oldest first, so that a long backlog holds no lock for long.
 * `number_event_batch` returns how many it numbered. Processes of the release before still call `number_events`.
 *
 * An event is found by its id without a walk through the log.
 */
export class Migration0091EventNumbers extends Migration {
  override up(): void {
    this.addSql(`create index event_by_id on event (account_id, id)`);
    this.addSql(`create index event_to_number on event (account_id, created_at, id) where seq is null`);
    this.addSql(`drop index event_unnumbered`);
    this.addSql(`
      create function number_event_batch(owner_id uuid) returns integer
      language plpgsql set search_path = pg_catalog, public, pg_temp as $$
      declare
        last bigint;
        added integer;
      begin
        perform from public.event where account_id = owner_id and seq is null limit 1;
        if not found then return 0; end if;
        insert into public.event_count (account_id, last_seq) values (owner_id, 0) on conflict do nothing;
        select last_seq into last from public.event_count where account_id = owner_id for update;
        with fresh as (
          select created_at, id from public.event where account_id = owner_id and seq is null
          order by created_at, id limit 5000
        ), placed as (
          select created_at, id, last + row_number() over (order by created_at, id) as seq from fresh
        ), numbered as (
          update public.event e set seq = placed.seq from placed
          where e.account_id = owner_id and e.created_at = placed.created_at and e.id = placed.id
          returning 1
        )
        select count(*) into added from numbered;
        update public.event_count set last_seq = last + added where account_id = owner_id;
        return added;
      end $$`);
  }
}
