import { Migration } from '@mikro-orm/migrations';

/**
 * Webhooks to the servers of owners. `append_event` writes a delivery for each endpoint in the statement that writes the
 * event: none is lost, and none is written for what is rolled back.
 *
 * Nobody locks an endpoint to write an event: only the deliverer and its owner change the row.
 */
export class Migration0090WebhookEndpoints extends Migration {
  override up(): void {
    this.addSql(`
      create table webhook_endpoint (
        account_id uuid not null,
        id uuid not null,
        url text not null,
        description text not null,
        event_types text[],
        disabled_reason text check (disabled_reason in ('owner', 'gone', 'failing')),
        disabled_at timestamptz check ((disabled_at is null) = (disabled_reason is null)),
        failing_since timestamptz,
        failures integer not null default 0,
        paused_until timestamptz not null,
        lease_until timestamptz not null,
        created_at timestamptz not null,
        primary key (account_id, id)
      )`);
    this.addSql(`
      create table webhook_secret (
        account_id uuid not null,
        endpoint_id uuid not null,
        id uuid not null,
        master_key_id text not null,
        sealed bytea not null,
        ends_at timestamptz,
        primary key (account_id, endpoint_id, id),
        foreign key (account_id, endpoint_id) references webhook_endpoint (account_id, id) on delete cascade
      )`);
    this.addSql(
      `create unique index webhook_secret_current on webhook_secret (account_id, endpoint_id) where ends_at is null`,
    );
    this.addSql(`create sequence webhook_delivery_number`);
    this.addSql(`
      create table webhook_delivery (
        account_id uuid not null,
        created_at timestamptz not null,
        endpoint_id uuid not null,
        event_id uuid not null,
        number bigint not null default nextval('webhook_delivery_number'),
        type text not null,
        state text not null default 'pending' check (state in ('pending', 'succeeded', 'failed')),
        attempts smallint not null default 0,
        next_attempt_at timestamptz check ((next_attempt_at is null) = (state <> 'pending')),
        last_status smallint,
        last_error text,
        primary key (account_id, created_at, endpoint_id, event_id)
      ) partition by range (created_at)`);
    this.addSql(`create index webhook_delivery_listed on webhook_delivery (account_id, endpoint_id, number)`);
    this.addSql(`
      create index webhook_delivery_due on webhook_delivery (account_id, endpoint_id, next_attempt_at, number)
        where state = 'pending'`);
    this.addSql(`create table webhook_delivery_rest partition of webhook_delivery default`);
    this.addSql(`
      create table webhook_attempt (
        account_id uuid not null,
        created_at timestamptz not null,
        endpoint_id uuid not null,
        event_id uuid not null,
        id uuid not null,
        url text not null,
        status smallint,
        error text,
        duration_ms integer not null,
        answer text not null,
        primary key (account_id, endpoint_id, event_id, created_at, id)
      ) partition by range (created_at)`);
    this.addSql(`create table webhook_attempt_rest partition of webhook_attempt default`);
    this.addSql(`
      create or replace function append_event(
        owner_id uuid, event_type text, event_version smallint, event_fact text, event_data jsonb)
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
        insert into public.webhook_delivery (account_id, created_at, endpoint_id, event_id, type, next_attempt_at)
          select owner_id, now, e.id, event_id, event_type, now from public.webhook_endpoint e
          where e.account_id = owner_id and e.disabled_at is null
            and (e.event_types is null or event_type = any (e.event_types));
        perform pg_notify('dhara_events', json_build_object('kind', 'event', 'accountId', owner_id)::text);
        return true;
      end $$`);
    // Deliveries and attempts are kept as long as their events.
    this.addSql(`
      create or replace function keep_event_months() returns integer
      language sql security definer set search_path = pg_catalog, public, pg_temp
      begin atomic
        select public.keep_months('event', 90) + public.keep_months('webhook_delivery', 90)
          + public.keep_months('webhook_attempt', 90);
      end`);
    this.addSql(`select keep_event_months()`);
  }
}
