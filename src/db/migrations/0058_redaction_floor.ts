import { Migration } from '@mikro-orm/migrations';

/**
 * No webhook loses its body in its first week, whoever asks. So a compromised service cannot erase what the providers
 * have just reported.
 */
export class Migration0058RedactionFloor extends Migration {
  override up(): void {
    this.addSql(`
      create or replace function redact_webhook(event uuid, says jsonb) returns boolean
        language sql security definer set search_path = pg_catalog, pg_temp as $$
        with redacted as (
          update public.webhook_event set body = ''::bytea, facts = says, redacted_at = public.service_now()
          where id = event and redacted_at is null and says is not null
            and received_at < public.service_now() - interval '7 days'
            and status in ('done', 'ignored', 'suspense', 'waiting')
          returning 1
        )
        select exists (select from redacted)
      $$`);
  }
}
