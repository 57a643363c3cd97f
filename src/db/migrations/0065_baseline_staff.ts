import { Migration } from '@mikro-orm/migrations';

/**
 * The baseline, 7 of 7: what staff do with a second person, and the function that opens an account with all that
 * belongs to it. The database enforces the four-eyes rule too, so that no code can forget it.
 */
export class Migration0065BaselineStaff extends Migration {
  override up(): void {
    this.addInterests();
    this.addAdjustments();
    this.addRequests();
    this.addRefundRule();
    this.addOpening();
  }

  /**
   * Who has an interest in an account: its owner, every member of staff if it is a colleague's, and both sides of a
   * referral.
   */
  private addInterests(): void {
    this.addSql(`
      create function invited_each_other(p_one uuid, p_other uuid) returns boolean language sql stable
        set search_path = pg_catalog, public, pg_temp as $$
        select exists (
          select from public.referral r
          where (r.account_id = p_one and r.referrer_id = p_other) or (r.account_id = p_other and r.referrer_id = p_one))
      $$`);
    this.addSql(`
      create function needs_second_person(p_actor uuid, p_account uuid) returns boolean language sql stable
        set search_path = pg_catalog, public, pg_temp as $$
        select p_actor = p_account or public.invited_each_other(p_actor, p_account)
          or exists (select from public.account a where a.id = p_account and a.role <> 'owner')
      $$`);
    this.addSql(`
      create function is_active_staff(p_actor uuid) returns boolean language plpgsql
        set search_path = pg_catalog, public, pg_temp as $$
      begin
        perform from public.account a where a.id = p_actor and a.role = 'support' and a.suspended_at is null for share;
        return found;
      end $$`);
    // For the tables. The service handles unknown ids: it admits nobody without an account.
    this.addSql(`
      create function is_no_staff(p_actor uuid) returns boolean language plpgsql
        set search_path = pg_catalog, public, pg_temp as $$
      begin
        return not public.is_active_staff(p_actor) and exists (select from public.account a where a.id = p_actor);
      end $$`);
  }

  private addAdjustments(): void {
    this.addSql(`
      create table adjustment (
        account_id uuid not null,
        id uuid not null,
        amount_micros bigint not null check (amount_micros <> 0),
        reason text not null,
        idempotency_key text not null,
        status text not null check (status in ('posted', 'pending', 'approved', 'refused')),
        requested_by uuid not null check (requested_by <> account_id),
        requested_at timestamptz not null,
        expires_at timestamptz,
        decided_by uuid check (decided_by <> requested_by and decided_by <> account_id),
        decided_at timestamptz,
        decision_reason text,
        tx_id uuid,
        primary key (account_id, id),
        unique (account_id, idempotency_key),
        check ((status in ('approved', 'refused')) = (decided_by is not null)),
        check ((status in ('approved', 'posted')) = (tx_id is not null))
      )`);
    this.addSql(`create index adjustment_of_person on adjustment (account_id, requested_by, requested_at)`);
    this.addSql(`create index adjustment_newest on adjustment (requested_at desc, id desc)`);
    this.addSql(`
      create function check_adjustment_people() returns trigger language plpgsql
        set search_path = pg_catalog, public, pg_temp as $$
      begin
        if tg_op = 'UPDATE' and old.status = new.status then return new; end if;
        if new.status not in ('posted', 'approved') then return new; end if;
        if new.status = 'posted' and public.needs_second_person(new.requested_by, new.account_id)
          or new.status = 'approved' and public.invited_each_other(new.decided_by, new.account_id)
          or public.is_no_staff(new.requested_by)
          or public.is_no_staff(coalesce(new.decided_by, new.requested_by))
        then
          raise exception 'this adjustment needs another member of staff'
            using errcode = 'check_violation', table = 'adjustment', constraint = 'adjustment_people';
        end if;
        return new;
      end $$`);
    this.addSql(`
      create trigger adjustment_people before insert or update on adjustment
        for each row execute function check_adjustment_people()`);
  }

  /**
   * Refunds and quotas that one member of staff requests and another approves: for colleagues, for one's own account,
   * for anyone one has invited, and refunds beyond the daily limit.
   */
  private addRequests(): void {
    this.addSql(`
      create table staff_request (
        account_id uuid not null,
        id uuid not null,
        kind text not null check (kind in ('refund', 'quota')),
        api_key_id uuid,
        daily_quota integer check (daily_quota >= 0),
        topup_id uuid,
        amount_minor bigint check (amount_minor > 0),
        reason text not null,
        idempotency_key text not null,
        status text not null check (status in ('pending', 'approved', 'refused')),
        requested_by uuid not null,
        requested_at timestamptz not null,
        expires_at timestamptz not null,
        decided_by uuid check (decided_by <> requested_by and decided_by <> account_id),
        decided_at timestamptz,
        decision_reason text,
        primary key (account_id, id),
        unique (account_id, idempotency_key),
        check ((status = 'pending') = (decided_by is null)),
        check (case kind
          when 'refund' then num_nonnulls(topup_id, amount_minor) = 2 and num_nonnulls(api_key_id, daily_quota) = 0
          else num_nonnulls(api_key_id, daily_quota) = 2 and num_nonnulls(topup_id, amount_minor) = 0 end)
      )`);
    this.addSql('create index staff_request_newest on staff_request (requested_at desc, id desc)');
    this.addSql(`
      create function check_staff_request_people() returns trigger language plpgsql
        set search_path = pg_catalog, public, pg_temp as $$
      begin
        if tg_op = 'INSERT' then
          if new.status = 'pending' and not public.is_no_staff(new.requested_by) then return new; end if;
        elsif old.status = 'pending' and (new.status = 'refused' or old.expires_at > public.service_now()
          and not public.invited_each_other(new.decided_by, new.account_id)
          and not public.is_no_staff(new.requested_by) and not public.is_no_staff(new.decided_by))
        then
          return new;
        end if;
        raise exception 'this request needs another member of staff'
          using errcode = 'check_violation', table = 'staff_request', constraint = 'staff_request_people';
      end $$`);
    this.addSql(`
      create trigger staff_request_people before insert or update on staff_request
        for each row execute function check_staff_request_people()`);
  }

  /** A refund that names an approver must come from the request that this approver approved. */
  private addRefundRule(): void {
    this.addSql(`
      create function check_refund_people() returns trigger language plpgsql
        set search_path = pg_catalog, public, pg_temp as $$
      begin
        if new.actor_id is null then return new; end if;
        if new.approved_by is null and public.needs_second_person(new.actor_id, new.account_id)
          or public.invited_each_other(new.approved_by, new.account_id)
          or public.is_no_staff(new.actor_id)
          or public.is_no_staff(coalesce(new.approved_by, new.actor_id))
          or new.approved_by is not null and not exists (
            select from public.staff_request r
            where r.account_id = new.account_id and 'request:' || r.id = new.idempotency_key
              and r.status = 'approved' and r.decided_by = new.approved_by and r.requested_by = new.actor_id
              and r.topup_id = new.topup_id and r.amount_minor = new.amount_minor)
        then
          raise exception 'this refund needs another member of staff'
            using errcode = 'check_violation', table = 'refund_request', constraint = 'refund_people';
        end if;
        return new;
      end $$`);
    this.addSql(`
      create trigger refund_people before insert on refund_request
        for each row execute function check_refund_people()`);
  }

  /**
   * Creates a complete account: its row, its wallet, its counters, its referral code. The trigger on the identity
   * schema's users (db/migrate.ts) calls it in the transaction of the sign-up. Idempotent. The runtime role cannot
   * write all of these rows, so the function runs as its owner.
   */
  private addOpening(): void {
    this.addSql(`
      create function public.open_account(account_id uuid) returns void language sql
        security definer set search_path = pg_catalog, public, pg_temp as $$
        insert into public.account (id) values ($1) on conflict do nothing;
        insert into public.video_count (account_id) values ($1) on conflict do nothing;
        insert into public.ledger_account (owner_id, account_no)
          select $1, n from unnest(array[1, 2, 3, 4, 10, 11, 12, 50, 60, 61, 62, 63, 64, 65]) n
          on conflict do nothing;
        select public.give_referral_code($1);
      $$`);
  }
}
