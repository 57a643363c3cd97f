import { Migration } from '@mikro-orm/migrations';

/**
 * Reverses nights that were charged by a wrong clock, entry by entry. The rows of their days stay: a day that is
 * charged again is the owner's next round of it.
 */
export class Migration0053StorageReversal extends Migration {
  override up(): void {
    this.addSql(`
      create table storage_reversal (
        id uuid primary key,
        from_day date not null,
        reason text not null,
        started_at timestamptz not null,
        day date not null,
        after_account uuid not null default '00000000-0000-0000-0000-000000000000',
        charges bigint not null default 0,
        returned_micros numeric not null default 0,
        finished_at timestamptz
      )`);
    this.addSql(`create unique index storage_reversal_open on storage_reversal ((true)) where finished_at is null`);
    this.addSql(`alter table storage_night add column reversed_by uuid references storage_reversal (id)`);
    this.addSql(`
      alter table storage_day add column round smallint not null default 0,
        drop constraint storage_day_pkey, add primary key (account_id, day, round)`);
    this.addSql(`
      create table storage_reversed_day (
        account_id uuid not null,
        day date not null,
        round smallint not null,
        reversal_id uuid not null references storage_reversal (id),
        to_debt_micros bigint not null check (to_debt_micros >= 0),
        to_cloud_micros bigint not null check (to_cloud_micros >= 0),
        to_master_micros bigint not null check (to_master_micros >= 0),
        created_at timestamptz not null,
        primary key (account_id, day, round)
      )`);
    this.addSql(`
      create trigger storage_reversed_day_append_only before update or delete or truncate on storage_reversed_day
        for each statement execute function refuse_change()`);
  }
}
