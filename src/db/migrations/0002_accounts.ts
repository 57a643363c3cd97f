import { Migration } from '@mikro-orm/migrations';

/** An account belongs to one user and has that user's id. Its wallet and counters are created with it. */
export class Migration0002Accounts extends Migration {
  override up(): void {
    this.addSql(`
      create table account (
        id uuid primary key,
        role text not null default 'owner' check (role in ('owner', 'support')),
        suspended_at timestamptz,
        suspended_reason text,
        created_at timestamptz not null default clock_timestamp()
      )`);

    this.addSql(`
      create table audit_entry (
        account_id uuid not null,
        id uuid not null,
        actor_id uuid,
        action text not null,
        subject text not null,
        reason text not null,
        details jsonb not null default '{}',
        created_at timestamptz not null default clock_timestamp(),
        primary key (account_id, id)
      )`);
    this.addSql(`create index audit_entry_newest on audit_entry (account_id, created_at desc, id desc)`);
    this.addSql(`
      create function refuse_change() returns trigger language plpgsql as $$
      begin
        raise exception '% is append-only', tg_table_name using errcode = '42501';
      end $$`);
    this.addSql(`
      create trigger audit_entry_append_only before update or delete or truncate on audit_entry
        for each statement execute function refuse_change()`);
  }
}
