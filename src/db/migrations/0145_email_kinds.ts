import { Migration } from '@mikro-orm/migrations';

/**
 * A notice says what it is about, and its words are written when it is sent: `kind` and `data` instead of `subject` and
 * `body`. Those two hold a text for workers of an earlier version, which know no kinds.
 *
 * Some events are also emailed. A trigger queues them, so that an event and its email are written together, whichever
 * statement causes them. Accounts of test mode have no user, and so no emails.
 */
export class Migration0145EmailKinds extends Migration {
  override up(): void {
    this.addSql(`
      alter table notice add column kind text, add column data jsonb, add column to_address text,
        alter column subject set default 'News about your account',
        alter column body set default 'Something happened in your account. Your dashboard shows it.'`);
    this.addSql(`
      create function queue_event_email() returns trigger language plpgsql
        set search_path = pg_catalog, public, pg_temp as $$
      begin
        insert into public.notice (account_id, key, kind, data, created_at, send_after)
          select new.account_id, 'event:' || new.id, new.type, new.data, new.created_at, new.created_at
          from auth."user" u where u.id = new.account_id;
        return null;
      end $$`);
    this.addSql(`
      create trigger event_is_emailed after insert on event for each row
        when (new.type in ('video.ready', 'video.failed', 'topup.credited', 'refund.booked', 'key.created'))
        execute function queue_event_email()`);
  }
}
