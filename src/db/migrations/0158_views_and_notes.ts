import { Migration } from '@mikro-orm/migrations';

/**
 * Two things of support staff: views of an account as its owner sees it, and notes on accounts.
 *
 * Both are erased with the account, in the statement that says that its erasure is done. The function that deletes the other
 * rows of an account works in batches, and these are few.
 */
export class Migration0158ViewsAndNotes extends Migration {
  override up(): void {
    this.addSql(`
      create table staff_view (
        account_id uuid not null,
        id uuid not null,
        staff_id uuid not null,
        session_id uuid not null,
        started_at timestamptz not null,
        ends_at timestamptz not null check (ends_at > started_at),
        ended_at timestamptz,
        primary key (account_id, id)
      )`);
    // A session is in one view at most. Found with every request of staff.
    this.addSql(`create unique index staff_view_of_session on staff_view (session_id) where ended_at is null`);
    this.addSql(`
      create table account_note (
        account_id uuid not null,
        id uuid not null,
        author_id uuid not null,
        body text not null check (char_length(body) between 1 and 4000),
        created_at timestamptz not null,
        edited_by uuid,
        edited_at timestamptz,
        version integer not null default 1,
        primary key (account_id, id),
        check ((edited_by is null) = (edited_at is null))
      )`);
    this.addSql(`create index account_note_newest on account_note (account_id, created_at desc, id desc)`);
    this.addSql(`
      create function erase_staff_records() returns trigger
      language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
      declare
        kept_table text;
      begin
        foreach kept_table in array array['account_note', 'staff_view'] loop
          execute format('delete from public.%I where account_id = $1', kept_table) using new.account_id;
        end loop;
        return null;
      end $$`);
    this.addSql(`
      create trigger account_closing_erases_staff_records after update of erased_at on account_closing
        for each row when (old.erased_at is null and new.erased_at is not null) execute function erase_staff_records()`);
  }
}
