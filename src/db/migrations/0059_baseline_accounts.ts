import { Migration } from '@mikro-orm/migrations';

/**
 * The baseline, 1 of 7: the clock, accounts and their keys, and what is recorded for staff. The seven create the schema
 * that the migrations up to 0065 made, one by one, before there was a release
 * (docs/decisions/0042-one-baseline-for-the-first-migrations.md).
 */
export class Migration0059BaselineAccounts extends Migration {
  override up(): void {
    this.addClock();
    this.addAccounts();
    this.addKeys();
    this.addSecrets();
    this.addAlerts();
  }

  private addClock(): void {
    // The one clock for quota days, escrow and payment windows. In production its body is the plain database clock.
    // Only `installVirtualClock` (db/virtualClock.ts), which production refuses, replaces it with an adjustable one.
    this.addSql(`
      create function service_now() returns timestamptz
        language sql volatile parallel safe
        return clock_timestamp()`);
    // The last reading of the database's clock, so that a wrong reading is noticed before a day is charged by it.
    this.addSql(`
      create table service_clock (
        only_row boolean primary key default true check (only_row),
        seen_at timestamptz not null,
        held_since timestamptz,
        held_why text,
        nights_confirmed_through date,
        check ((held_since is null) = (held_why is null))
      )`);
    this.addSql(`insert into service_clock (seen_at) values (service_now())`);
    // When each running machine booted, by the database's clock. While a machine runs, only a clock leap can change
    // that.
    this.addSql(`
      create table clock_machine (
        run_id text primary key,
        booted_at timestamptz not null,
        anchored_at timestamptz not null
      )`);
  }

  private addAccounts(): void {
    // An account belongs to one user and has that user's id. `allowed_domains` are the sites where its videos may play;
    // empty for any site.
    this.addSql(`
      create table account (
        id uuid primary key,
        role text not null default 'owner' check (role in ('owner', 'support')),
        suspended_at timestamptz,
        suspended_reason text,
        created_at timestamptz not null default clock_timestamp(),
        allowed_domains text[] not null default '{}'
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
    // Staff read the audit trail of all accounts.
    this.addSql(`create index audit_entry_newest_of_all on audit_entry (created_at desc, account_id desc, id desc)`);
    this.addSql(`
      create function refuse_change() returns trigger language plpgsql
        set search_path = pg_catalog, public, pg_temp as $$
      begin
        raise exception '% is append-only', tg_table_name using errcode = '42501';
      end $$`);
    this.addSql(`
      create trigger audit_entry_append_only before update or delete or truncate on audit_entry
        for each statement execute function refuse_change()`);
    // What staff move without a second person, counted per person and UTC day over all accounts.
    this.addSql(`
      create table staff_day (
        actor_id uuid not null,
        day date not null,
        micros bigint not null check (micros >= 0),
        primary key (actor_id, day)
      )`);
  }

  /**
   * Everything that decides a mint (revocation, suspension, limit, day, count) is in the key's one row, because a
   * statement that waited for a row re-reads that row and no other. No index covers columns that a mint changes.
   */
  private addKeys(): void {
    // `taken_over` counts as used on the key's first day, though another key minted it. The chart of days leaves it
    // out.
    this.addSql(`
      create table api_key (
        account_id uuid not null,
        id uuid not null,
        name text not null,
        hash bytea not null unique,
        prefix text not null,
        last4 text not null,
        daily_limit integer not null default 1000 check (daily_limit >= 0),
        usage_day date not null default '1970-01-01',
        used integer not null default 0 check (used >= 0),
        last_granted integer not null default 0,
        minted_at timestamptz,
        suspended boolean not null default false,
        revoked_at timestamptz,
        created_at timestamptz not null default clock_timestamp(),
        taken_over integer not null default 0 check (taken_over >= 0),
        primary key (account_id, id)
      ) with (fillfactor = 50)`);
    this.addSql(`create index api_key_prefix on api_key (prefix)`);
    this.addSql(`
      create index api_key_revoked on api_key (account_id, revoked_at desc, id) where revoked_at is not null`);
    // How many tokens an account's revoked keys minted today. New keys start with this count, so that revoking and
    // creating keys never gives more tokens than keeping them.
    this.addSql(`
      create table revoked_quota (
        account_id uuid primary key,
        day date not null,
        tokens integer not null check (tokens >= 0)
      ) with (fillfactor = 50)`);
    // How many tokens each key minted on past days. The key's own row counts today. Its first mint of a later day
    // records the day before, so history costs one row per key and day, and nothing per mint.
    this.addSql(`
      create table api_key_day (
        account_id uuid not null,
        key_id uuid not null,
        day date not null,
        used integer not null,
        daily_limit integer not null,
        primary key (account_id, key_id, day)
      )`);
    this.addSql(`
      create function keep_key_day() returns trigger language plpgsql
        set search_path = pg_catalog, public, pg_temp as $$
      declare
        minted integer := old.used;
      begin
        if old.usage_day = (old.created_at at time zone 'UTC')::date then
          minted := greatest(old.used - old.taken_over, 0);
        end if;
        if minted > 0 then
          insert into public.api_key_day (account_id, key_id, day, used, daily_limit)
          values (old.account_id, old.id, old.usage_day, minted, old.daily_limit)
          on conflict do nothing;
        end if;
        return null;
      end $$`);
    this.addSql(`
      create trigger api_key_day_kept after update of usage_day on api_key for each row
        when (new.usage_day > old.usage_day and old.used > 0) execute function keep_key_day()`);
    // Brings a key back to today if its day is ahead of a corrected clock. Tokens minted on days that are not over
    // count as today's, since they may have been: setting a clock back and forth gives no second quota. Locks the row
    // first and reads its days in a later statement, so that none of them is missed.
    this.addSql(`
      create function recall_key_day(key_hash bytea) returns void language plpgsql
        set search_path = pg_catalog, pg_temp as $$
      declare
        k public.api_key;
        today date;
        earlier bigint;
      begin
        select * into k from public.api_key where hash = key_hash for no key update;
        today := (public.service_now() at time zone 'UTC')::date;
        if k.usage_day is null or k.usage_day <= today + 1 then return; end if;
        with gone as (
          delete from public.api_key_day d
          where d.account_id = k.account_id and d.key_id = k.id and d.day >= today returning d.used
        )
        select coalesce(sum(gone.used), 0) into earlier from gone;
        -- What revoked keys had minted stands in the key's own first day, and not in what was kept of it.
        if (k.created_at at time zone 'UTC')::date = today then earlier := earlier + k.taken_over; end if;
        update public.api_key set usage_day = today, used = least(k.used + earlier, 2147483647)
        where account_id = k.account_id and id = k.id;
      end $$`);
  }

  /** Each is encrypted under the master key that `master_key_id` names. */
  private addSecrets(): void {
    // Null in rows from before the column existed: their master key is found by trying.
    this.addSql(`
      create table playback_signing_key (
        kid text primary key,
        public_jwk jsonb not null,
        encrypted_private_jwk bytea not null,
        created_at timestamptz not null,
        signs_from timestamptz not null,
        verifies_until timestamptz,
        master_key_id text
      )`);
    // Secrets that outlive a master key.
    this.addSql(`
      create table lasting_secret (
        purpose text primary key,
        master_key_id text not null,
        sealed bytea not null,
        created_at timestamptz not null
      )`);
  }

  /** Alerts for staff and notices for owners: written together with their cause, sent afterwards. */
  private addAlerts(): void {
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
