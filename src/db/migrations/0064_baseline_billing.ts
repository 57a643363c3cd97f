import { Migration } from '@mikro-orm/migrations';

/** The baseline, 6 of 7: storage by the day, invoices and low-balance warnings, and referrals. */
export class Migration0064BaselineBilling extends Migration {
  override up(): void {
    this.addStorage();
    this.addInvoices();
    this.addReferrals();
    this.addCodes();
    this.addAttribution();
  }

  /** What was charged for storage, how far tonight's run has come, and which nights were reversed. */
  private addStorage(): void {
    // Reverses nights that were charged by a wrong clock, entry by entry. The rows of their days stay: a day that is
    // charged again is the owner's next round of it.
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
        measured_at timestamptz,
        reversed_by uuid references storage_reversal (id)
      )`);
    this.addSql(`create unique index storage_night_open on storage_night ((true)) where finished_at is null`);
    // Charging begins with the day of installation: the day before counts as done.
    this.addSql(`
      insert into storage_night (day, started_at, finished_at, measured_at)
      select (at at time zone 'UTC')::date - 1, at, at, at from (select service_now() as at) clock`);
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
        round smallint not null default 0,
        primary key (account_id, day, round),
        constraint storage_day_paid check (from_cloud_micros + from_master_micros + arrears_micros = charged_micros)
      )`);
    // Rows of one time are stored together, so a BRIN index costs next to nothing.
    this.addSql(`create index storage_day_created on storage_day using brin (created_at)`);
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
    for (const table of ['storage_day', 'storage_reversed_day']) this.refuseChanges(table);
    this.addSql(`
      create table storage_rule (
        account_id uuid primary key,
        auto_allocate boolean not null default false,
        updated_at timestamptz not null
      )`);
  }

  private addInvoices(): void {
    this.addSql(`
      create table billing_details (
        account_id uuid primary key,
        legal_name text not null,
        address_lines text[] not null,
        country text not null check (country ~ '^[A-Z]{2}$'),
        state_code text check (state_code ~ '^[0-9]{2}$'),
        gstin text check (gstin ~ '^[0-9A-Z]{15}$'),
        email text,
        updated_at timestamptz not null
      )`);
    this.addSql(`
      create table invoice_counter (
        series text not null,
        kind text not null,
        financial_year text not null,
        last_number integer not null check (last_number > 0),
        primary key (series, kind, financial_year)
      )`);
    // Append-only: an issued number keeps its facts, whatever settings and details become later.
    this.addSql(`
      create table invoice (
        account_id uuid not null,
        top_up_id uuid not null,
        kind text not null check (kind in ('receipt', 'invoice', 'credit_note')),
        refund_id text not null default '',
        series text not null,
        financial_year text not null check (financial_year ~ '^[0-9]{4}$'),
        number integer not null check (number > 0),
        issued_at timestamptz not null,
        facts jsonb not null,
        primary key (account_id, top_up_id, refund_id),
        check ((kind = 'credit_note') = (refund_id <> ''))
      )`);
    this.addSql(`create unique index invoice_number on invoice (series, kind, financial_year, number)`);
    this.refuseChanges('invoice');
    // No row: the default threshold, for accounts that ever topped up. A row without a threshold: no warnings.
    this.addSql(`
      create table low_balance (
        account_id uuid primary key,
        is_default boolean not null,
        threshold_micros bigint check (threshold_micros > 0),
        below_since timestamptz,
        crossings integer not null default 0
      )`);
  }

  /**
   * `referral`, `referral_outbox` and `payer` are rows of the invitee, `referral_invitee` of the referrer. Only the
   * sign-up, which looks up a code, needs both.
   */
  private addReferrals(): void {
    this.addSql(`create table referral_code (account_id uuid primary key, code text not null unique)`);
    this.addSql(`
      create table referral (
        account_id uuid primary key,
        referrer_id uuid not null,
        code text not null,
        status text not null default 'pending' check (status in ('pending', 'granted', 'clawed_back', 'cancelled')),
        reason text check (reason in ('self_referral', 'same_payer', 'refunded')),
        masked_email text not null,
        joined_at timestamptz not null,
        topup_id text,
        provider text,
        payment_id text,
        captured_at timestamptz,
        payer_hashes text[] not null default '{}',
        decided_at timestamptz,
        check (account_id <> referrer_id)
      )`);
    this.addSql(`
      create table referral_outbox (
        account_id uuid not null,
        seq smallint not null,
        kind text not null check (kind in ('joined', 'granted', 'cancelled', 'clawed_back')),
        created_at timestamptz not null,
        attempts smallint not null default 0,
        deliver_after timestamptz,
        outcome text check (outcome in ('booked', 'noted', 'refused', 'vanished')),
        delivered_at timestamptz,
        primary key (account_id, seq)
      )`);
    this.addSql(`
      create index referral_outbox_due on referral_outbox (deliver_after) where deliver_after is not null`);
    this.addSql(`create index referral_outbox_refused on referral_outbox (account_id) where outcome = 'refused'`);
    this.addSql(`
      create table referral_invitee (
        account_id uuid not null,
        invitee_id uuid not null,
        status text not null check (status in ('pending', 'granted', 'clawed_back', 'cancelled')),
        masked_email text not null,
        joined_at timestamptz not null,
        granted_at timestamptz,
        window_ends_at timestamptz,
        payer_hashes text[] not null default '{}',
        primary key (account_id, invitee_id)
      )`);
    this.addSql(`
      create index referral_invitee_newest on referral_invitee (account_id, joined_at desc, invitee_id desc)`);
    this.addSql(`create table payer (account_id uuid not null, hash text not null, primary key (account_id, hash))`);
  }

  /**
   * Crockford's base32 has no I, L, O and U, so that codes can be read aloud. With 40 bits, collisions are rare and the
   * loop tries again.
   */
  private addCodes(): void {
    this.addSql(`
      create function new_referral_code() returns text language sql volatile
        set search_path = pg_catalog, public, pg_temp as $$
        with random as materialized (
          select ('x' || left(replace(gen_random_uuid()::text, '-', ''), 10))::bit(40)::bigint as bits
        )
        select string_agg(substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', ((bits >> (5 * n)) & 31)::int + 1, 1), '')
        from random, generate_series(0, 7) n
      $$`);
    this.addSql(`
      create function give_referral_code(owner_id uuid) returns void language plpgsql
        set search_path = pg_catalog, public, pg_temp as $$
      begin
        while not exists (select from referral_code r where r.account_id = owner_id) loop
          insert into referral_code (account_id, code) values (owner_id, new_referral_code()) on conflict do nothing;
        end loop;
      end $$`);
  }

  /** plpgsql, because its statements are parsed when they run: the identity schema is created after these tables. */
  private addAttribution(): void {
    // Accepts codes as people type them: in any case, with spaces and dashes, and with the letters that Crockford reads
    // as digits.
    this.addSql(`
      create function referrer_of_code(code text) returns table (account_id uuid, own_code text) language sql stable
        set search_path = pg_catalog, public, pg_temp as $$
        select r.account_id, r.code from referral_code r join account a on a.id = r.account_id
        where r.code = translate(upper(regexp_replace(left($1, 64), '[\\s-]', '', 'g')), 'OIL', '011')
          and a.suspended_at is null
      $$`);
    // Normalizes an email address to its mailbox: removes the part after a plus and, for Gmail, dots.
    this.addSql(`
      create function mailbox_of(email text) returns text language sql immutable
        set search_path = pg_catalog, public, pg_temp as $$
        select case when domain in ('gmail.com', 'googlemail.com')
          then replace(name, '.', '') || '@gmail.com' else name || '@' || domain end
        from (select split_part(regexp_replace(whole, '@[^@]*$', ''), '+', 1) as name,
            regexp_replace(whole, '^.*@', '') as domain
          from (select lower(trim($1)) as whole) spelled) parts
      $$`);
    this.addSql(`
      create function attribute_referral(invitee_id uuid, email text, code text) returns void language plpgsql
        set search_path = pg_catalog, public, pg_temp as $$
      declare
        referrer record;
        own boolean;
      begin
        select * into referrer from referrer_of_code(code);
        if not found or referrer.account_id = invitee_id then return; end if;
        select coalesce(bool_or(mailbox_of(u.email) = mailbox_of(attribute_referral.email)), false) into own
          from auth."user" u where u.id = referrer.account_id;
        insert into referral (account_id, referrer_id, code, status, reason, masked_email, joined_at, decided_at)
          values (invitee_id, referrer.account_id, referrer.own_code,
            case when own then 'cancelled' else 'pending' end, case when own then 'self_referral' end,
            left(email, 1) || '•••@' || regexp_replace(email, '^.*@', ''),
            service_now(), case when own then service_now() end);
        if own then return; end if;
        insert into referral_outbox (account_id, seq, kind, created_at, deliver_after)
          values (invitee_id, 0, 'joined', service_now(), service_now());
      end $$`);
  }

  private refuseChanges(table: string): void {
    this.addSql(`
      create trigger ${table}_append_only before update or delete or truncate on ${table}
        for each statement execute function refuse_change()`);
  }
}
