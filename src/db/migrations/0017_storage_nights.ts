import { Migration } from '@mikro-orm/migrations';

/**
 * Storage by the day: what was charged, how far tonight's run has come, and what is charged for. Correcting a size
 * closes one row of stored_object and opens the next generation of its key, so that the rows that past days were
 * charged from stay unchanged.
 */
export class Migration0017StorageNights extends Migration {
  override up(): void {
    this.addSql(`alter table stored_object add column generation integer not null default 0`);
    this.addSql(`
      alter table stored_object drop constraint stored_object_pkey, add primary key (account_id, key, generation)`);
    // Objects that count at the end of a day: existing ones, and the few removed since. Sorted bytewise, as stores list
    // keys.
    this.addSql(`
      create index stored_object_live on stored_object (account_id, key collate "C") include (size_bytes, stored_at)
        where removed_at is null`);
    this.addSql(`
      create index stored_object_removed on stored_object (removed_at, account_id) where removed_at is not null`);

    // The remainder is in units of 1/(10^9 × 377,580) micro-credits, and always less than one micro-credit.
    this.addSql(`
      create table storage_day (
        account_id uuid not null,
        day date not null,
        bytes bigint not null check (bytes > 0),
        charged_micros bigint not null check (charged_micros >= 0),
        remainder bigint not null check (remainder >= 0 and remainder < 377580000000000),
        from_cloud_micros bigint not null check (from_cloud_micros >= 0),
        from_master_micros bigint not null check (from_master_micros >= 0),
        arrears_micros bigint not null check (arrears_micros >= 0),
        created_at timestamptz not null,
        primary key (account_id, day),
        constraint storage_day_paid check (from_cloud_micros + from_master_micros + arrears_micros = charged_micros)
      )`);
    this.addSql(`
      create trigger storage_day_append_only before update or delete or truncate on storage_day
        for each statement execute function refuse_change()`);
    this.addSql(`
      create table storage_rule (
        account_id uuid primary key,
        auto_allocate boolean not null default false,
        updated_at timestamptz not null
      )`);
    this.addSql(`
      create table storage_night (
        day date primary key,
        after_account uuid not null default '00000000-0000-0000-0000-000000000000',
        accounts bigint not null default 0,
        charged_micros numeric not null default 0,
        arrears_micros numeric not null default 0,
        started_at timestamptz not null,
        finished_at timestamptz,
        measuring_since timestamptz,
        measured_at timestamptz
      )`);
    this.addSql(`create unique index storage_night_open on storage_night ((true)) where finished_at is null`);
    // Charging begins with the day of installation: the day before counts as done.
    this.addSql(`
      insert into storage_night (day, started_at, finished_at, measured_at)
      select (at at time zone 'UTC')::date - 1, at, at, at from (select service_now() as at) clock`);
  }
}
