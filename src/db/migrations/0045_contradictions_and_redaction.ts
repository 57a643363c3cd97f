import { Migration } from '@mikro-orm/migrations';

/**
 * Keeps contradictory statements of providers beside their first ones, and removes bodies of webhooks that nobody needs
 * any more.
 *
 * - `payment.contradiction` says why a payment belongs in suspense, whatever else is reported about it.
 * - `conflicts` names the facts of a refund or dispute that were reported in two ways, such as `amount`; it only grows.
 * - `payment.withdrawn_micros` moved from the wallet to SUSPENSE because the facts contradict each other.
 * - `webhook_event.facts` replaces a redacted body: it says what concerns money, and nothing about persons.
 */
export class Migration0045ContradictionsAndRedaction extends Migration {
  override up(): void {
    this.addSql(`
      alter table payment
        add column failed_at timestamptz,
        add column contradiction text,
        add column withdrawn_micros bigint check (withdrawn_micros >= 0)`);
    this.addSql(`alter table payment_refund add column conflicts text[] not null default '{}'`);
    this.addSql(`
      alter table payment_dispute
        add column conflicts text[] not null default '{}',
        add column lost_minor bigint check (lost_minor >= 0),
        add column was_returned boolean not null default false`);
    this.addSql(`update payment_dispute set lost_minor = amount_minor where state = 'lost'`);
    this.addSql(`update payment_dispute set was_returned = true where state = 'won'`);

    this.addSql(`alter table webhook_event add column facts jsonb, add column redacted_at timestamptz`);
    this.addSql(`create index webhook_event_whole on webhook_event (received_at) where redacted_at is null`);
    this.addSql(`drop trigger webhook_event_body_stays on webhook_event`);
    this.addSql(`
      create function refuse_change_of_webhook() returns trigger language plpgsql
        set search_path = pg_catalog, pg_temp as $$
      begin
        if (new.provider, new.event_id, new.body_hash, new.id, new.type, new.provider_created_at, new.received_at)
            is distinct from
            (old.provider, old.event_id, old.body_hash, old.id, old.type, old.provider_created_at, old.received_at) then
          raise exception 'a webhook stays as it came';
        end if;
        if (new.body, new.facts, new.redacted_at) is distinct from (old.body, old.facts, old.redacted_at)
            and (old.redacted_at is not null or new.redacted_at is null or new.body <> ''::bytea) then
          raise exception 'the body of a webhook can only be redacted, once';
        end if;
        return new;
      end $$`);
    this.addSql(`
      create trigger webhook_event_body_stays before update on webhook_event
        for each row execute function refuse_change_of_webhook()`);
    // The service may update only a few columns; this function is the only way to change the others. A webhook that is
    // not worked through, or could not be, keeps its body, whoever asks.
    this.addSql(`
      create function redact_webhook(event uuid, says jsonb) returns boolean
        language sql security definer set search_path = pg_catalog, pg_temp as $$
        with redacted as (
          update public.webhook_event set body = ''::bytea, facts = says, redacted_at = public.service_now()
          where id = event and redacted_at is null and says is not null
            and status in ('done', 'ignored', 'suspense', 'waiting')
          returning 1
        )
        select exists (select from redacted)
      $$`);
    this.addSql(`revoke all on function redact_webhook(uuid, jsonb) from public`);
  }
}
