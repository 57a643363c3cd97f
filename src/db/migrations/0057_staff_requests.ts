import { Migration } from '@mikro-orm/migrations';

/**
 * Refunds and quotas that one member of staff requests and another approves: for colleagues, for one's own account, for
 * anyone one has invited, and refunds beyond the daily limit. A refund that names an approver must come from the
 * request that this approver approved.
 */
export class Migration0057StaffRequests extends Migration {
  override up(): void {
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
    this.addSql(`
      create or replace function check_refund_people() returns trigger language plpgsql
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
  }
}
