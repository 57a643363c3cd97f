import { Migration } from '@mikro-orm/migrations';

/**
 * Referral codes, who referred whom, and messages from the invitee's side to the referrer's.
 *
 * `referral`, `referral_outbox` and `payer` are rows of the invitee, `referral_invitee` of the referrer. Only the
 * sign-up, which looks up a code, needs both.
 */
export class Migration0016Referrals extends Migration {
  override up(): void {
    this.addTables();
    this.addCodes();
    this.addAttribution();
  }

  private addTables(): void {
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
        set search_path = public as $$
        with random as materialized (
          select ('x' || left(replace(gen_random_uuid()::text, '-', ''), 10))::bit(40)::bigint as bits
        )
        select string_agg(substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', ((bits >> (5 * n)) & 31)::int + 1, 1), '')
        from random, generate_series(0, 7) n
      $$`);
    this.addSql(`
      create function give_referral_code(owner_id uuid) returns void language plpgsql
        set search_path = public as $$
      begin
        while not exists (select from referral_code r where r.account_id = owner_id) loop
          insert into referral_code (account_id, code) values (owner_id, new_referral_code()) on conflict do nothing;
        end loop;
      end $$`);
    this.addSql(`
      create or replace function open_account(account_id uuid) returns void language sql
        set search_path = public as $$
        insert into account (id) values ($1) on conflict do nothing;
        insert into video_count (account_id) values ($1) on conflict do nothing;
        insert into ledger_account (owner_id, account_no)
          select $1, n from unnest(array[1, 2, 3, 4, 10, 11, 12, 50, 60, 61, 62, 63, 64, 65]) n
          on conflict do nothing;
        select give_referral_code($1);
      $$`);
    this.addSql(`select give_referral_code(id) from account`);
  }

  /** plpgsql, because its statements are parsed when they run: the identity schema is created after these tables. */
  private addAttribution(): void {
    // Accepts codes as people type them: in any case, with spaces and dashes, and with the letters that Crockford reads
    // as digits.
    this.addSql(`
      create function referrer_of_code(code text) returns table (account_id uuid, own_code text) language sql stable
        set search_path = public as $$
        select r.account_id, r.code from referral_code r join account a on a.id = r.account_id
        where r.code = translate(upper(regexp_replace(left($1, 64), '[\\s-]', '', 'g')), 'OIL', '011')
          and a.suspended_at is null
      $$`);
    // Normalizes an email address to its mailbox: removes the part after a plus and, for Gmail, dots.
    this.addSql(`
      create function mailbox_of(email text) returns text language sql immutable
        set search_path = public as $$
        select case when domain in ('gmail.com', 'googlemail.com')
          then replace(name, '.', '') || '@gmail.com' else name || '@' || domain end
        from (select split_part(regexp_replace(whole, '@[^@]*$', ''), '+', 1) as name,
            regexp_replace(whole, '^.*@', '') as domain
          from (select lower(trim($1)) as whole) spelled) parts
      $$`);
    this.addSql(`
      create function attribute_referral(invitee_id uuid, email text, code text) returns void language plpgsql
        set search_path = public as $$
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
}
