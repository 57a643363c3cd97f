import { Migration } from '@mikro-orm/migrations';

/**
 * What staff move without a second person, counted per person and UTC day over all accounts. The database also enforces
 * the four-eyes rule for staff with an interest in the account, so that no code can forget it.
 */
export class Migration0048StaffLimits extends Migration {
  override up(): void {
    this.addSql(`
      create table staff_day (
        actor_id uuid not null,
        day date not null,
        micros bigint not null check (micros >= 0),
        primary key (actor_id, day)
      )`);
    this.addSql(`
      insert into staff_day (actor_id, day, micros)
      select requested_by, (service_now() at time zone 'UTC')::date, sum(abs(amount_micros)) from adjustment
      where status = 'posted' and requested_at >= date_trunc('day', service_now(), 'UTC')
      group by requested_by`);

    // Who has an interest in an account: its owner, every member of staff if it is a colleague's, and both sides of a
    // referral.
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

    this.addSql(`
      alter table refund_request add column approved_by uuid
        check (approved_by <> actor_id and approved_by <> account_id)`);
    this.addSql(`
      create function check_refund_people() returns trigger language plpgsql
        set search_path = pg_catalog, public, pg_temp as $$
      begin
        if new.actor_id is null then return new; end if;
        if new.approved_by is null and public.needs_second_person(new.actor_id, new.account_id)
          or public.invited_each_other(new.approved_by, new.account_id)
          or public.is_no_staff(new.actor_id)
          or public.is_no_staff(coalesce(new.approved_by, new.actor_id))
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
}
