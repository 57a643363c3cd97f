import { Migration } from '@mikro-orm/migrations';

/** Alerts for staff and notices for owners: written together with their cause, sent afterwards. */
export class Migration0013AlertsAndNotices extends Migration {
  override up(): void {
    this.addSql(`
      create table alert (
        id uuid primary key,
        kind text not null,
        subject text not null,
        message text not null,
        account_id uuid,
        times integer not null default 1,
        raised_at timestamptz not null,
        last_raised_at timestamptz not null,
        announced_at timestamptz,
        resolved_at timestamptz,
        resolved_by uuid
      )`);
    // An alert that is still open is not raised again; its counter goes up.
    this.addSql(`create unique index alert_open on alert (kind, subject) where resolved_at is null`);
    this.addSql(`create index alert_newest on alert (raised_at desc, id desc)`);
    this.addSql(`create index alert_unannounced on alert (raised_at) where announced_at is null`);
    this.addSql(`
      create table notice (
        account_id uuid not null,
        key text not null,
        subject text not null,
        body text not null,
        created_at timestamptz not null,
        send_after timestamptz,
        attempts smallint not null default 0,
        sent_at timestamptz,
        primary key (account_id, key)
      )`);
    this.addSql(`create index notice_unsent on notice (send_after) where send_after is not null`);
  }
}
