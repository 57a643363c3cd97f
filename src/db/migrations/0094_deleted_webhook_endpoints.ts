import { Migration } from '@mikro-orm/migrations';

/**
 * Endpoints that were deleted, until their deliveries and attempts are, too: an endpoint may have very many.
 *
 * The service may not delete what was sent. This function runs as the owner, and removes only what belongs to endpoints
 * that no longer exist. It waits for an hour: longer than any attempt that was under way, and any transaction that still
 * saw the endpoint. It returns how many rows it removed, at most `batch` of each table; null if there is nothing to do.
 */
export class Migration0094DeletedWebhookEndpoints extends Migration {
  override up(): void {
    this.addSql(`
      create table deleted_webhook_endpoint (
        account_id uuid not null,
        id uuid not null,
        deleted_at timestamptz not null,
        primary key (account_id, id)
      )`);
    this.addSql(`
      insert into deleted_webhook_endpoint (account_id, id, deleted_at)
      select distinct d.account_id, d.endpoint_id, service_now() from webhook_delivery d
      where not exists (
        select from webhook_endpoint e where e.account_id = d.account_id and e.id = d.endpoint_id)`);
    this.addSql(`
      create function forget_webhook_log(batch integer) returns integer
      language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
      declare
        gone public.deleted_webhook_endpoint;
        attempts integer;
        deliveries integer;
      begin
        select d.* into gone from public.deleted_webhook_endpoint d
        where d.deleted_at < public.service_now() - interval '1 hour' and not exists (
          select from public.webhook_endpoint e where e.account_id = d.account_id and e.id = d.id)
        order by d.deleted_at limit 1 for update of d;
        if not found then return null; end if;
        delete from public.webhook_attempt a using (
          select account_id, endpoint_id, event_id, created_at, id from public.webhook_attempt
          where account_id = gone.account_id and endpoint_id = gone.id limit batch
        ) old
        where a.account_id = old.account_id and a.endpoint_id = old.endpoint_id and a.event_id = old.event_id
          and a.created_at = old.created_at and a.id = old.id;
        get diagnostics attempts = row_count;
        delete from public.webhook_delivery d using (
          select account_id, created_at, endpoint_id, event_id from public.webhook_delivery
          where account_id = gone.account_id and endpoint_id = gone.id limit batch
        ) old
        where d.account_id = old.account_id and d.created_at = old.created_at and d.endpoint_id = old.endpoint_id
          and d.event_id = old.event_id;
        get diagnostics deliveries = row_count;
        if attempts < batch and deliveries < batch then
          delete from public.deleted_webhook_endpoint where account_id = gone.account_id and id = gone.id;
        end if;
        return attempts + deliveries;
      end $$`);
  }
}
