import { Migration } from '@mikro-orm/migrations';

/**
 * The baseline, 5 of 7: top-ups, and what providers report about them. Amounts are whole minor units (paise, cents) and
 * exact micro-credits. Times named `provider_…` or `captured_at` are the provider's, all others are `service_now()`.
 *
 * Facts of a payment for an unknown order belong to the nil account, which has its own wallet. `conflicts` names the
 * facts of a refund or dispute that were reported in two ways, such as `amount`; it only grows.
 */
export class Migration0063BaselinePayments extends Migration {
  override up(): void {
    this.addTopUps();
    this.addPayments();
    this.addRefunds();
    this.addDisputes();
    this.addInbox();
    this.addSuspense();
  }

  private addTopUps(): void {
    this.addSql(`
      create table topup (
        account_id uuid not null,
        id uuid not null,
        idempotency_key text not null,
        provider text not null,
        sandbox boolean not null,
        currency text not null check (currency in ('INR', 'USD')),
        amount_minor bigint not null check (amount_minor > 0),
        micros_per_minor bigint not null check (micros_per_minor > 0),
        credit_micros bigint not null check (credit_micros = amount_minor * micros_per_minor),
        rate_as_of timestamptz,
        return_path text not null,
        status text not null default 'opening' check (status in ('opening', 'open', 'paid', 'expired')),
        created_at timestamptz not null,
        expires_at timestamptz not null,
        order_id text,
        checkout_method text,
        checkout_url text,
        checkout_fields jsonb,
        payment_id text,
        captured_at timestamptz,
        credited_at timestamptz,
        next_check_at timestamptz,
        provider_paid_at timestamptz,
        webhook_missing_since timestamptz,
        primary key (account_id, id)
      )`);
    this.addSql(`create unique index topup_key on topup (account_id, idempotency_key)`);
    this.addSql(`create index topup_unpaid on topup (account_id) where status in ('opening', 'open')`);
    this.addSql(`create index topup_check on topup (next_check_at) where next_check_at is not null`);
    this.addSql(`
      create index topup_webhook_missing on topup (webhook_missing_since) where webhook_missing_since is not null`);
  }

  private addPayments(): void {
    // Finds the account of an order or payment: the only table that is read without knowing the account.
    this.addSql(`
      create table payment_directory (
        provider text not null,
        reference text not null,
        account_id uuid not null,
        topup_id uuid,
        primary key (provider, reference)
      )`);
    this.addSql(`create index payment_directory_reference on payment_directory (reference)`);
    // `contradiction` says why a payment belongs in suspense, whatever else is reported about it. `withdrawn_micros`
    // moved from the wallet to SUSPENSE because the facts contradict each other.
    this.addSql(`
      create table payment (
        account_id uuid not null,
        provider text not null,
        payment_id text not null,
        topup_id uuid,
        order_id text,
        amount_minor bigint,
        currency text,
        captured_at timestamptz,
        refunded_at timestamptz,
        payer_hashes text[] not null default '{}',
        fate text not null default 'none' check (fate in ('none', 'credited', 'suspense')),
        micros_per_minor bigint,
        credited_micros bigint not null default 0 check (credited_micros >= 0),
        taken jsonb not null default '{}',
        held jsonb not null default '{}',
        disputed_micros bigint not null default 0 check (disputed_micros >= 0),
        revision integer not null default 0,
        created_at timestamptz not null,
        failed_at timestamptz,
        contradiction text,
        withdrawn_micros bigint check (withdrawn_micros >= 0),
        primary key (account_id, provider, payment_id)
      )`);
    this.addSql(`create index payment_of_topup on payment (account_id, topup_id)`);
  }

  private addRefunds(): void {
    this.addSql(`
      create table payment_refund (
        account_id uuid not null,
        provider text not null,
        refund_id text not null,
        payment_id text not null,
        amount_minor bigint not null check (amount_minor >= 0),
        currency text not null,
        state text not null check (state in ('pending', 'processed', 'failed')),
        provider_created_at timestamptz not null,
        was_processed boolean not null,
        request_id uuid,
        counted_micros bigint not null default 0 check (counted_micros >= 0),
        from_hold_micros bigint not null default 0 check (from_hold_micros between 0 and counted_micros),
        bookings integer not null default 0,
        created_at timestamptz not null,
        conflicts text[] not null default '{}',
        primary key (account_id, provider, refund_id)
      )`);
    this.addSql(`create index payment_refund_of_payment on payment_refund (account_id, provider, payment_id)`);
    this.addSql(`
      create table refund_request (
        account_id uuid not null,
        id uuid not null,
        idempotency_key text not null,
        topup_id uuid not null,
        provider text not null,
        payment_id text not null,
        amount_minor bigint not null check (amount_minor > 0),
        amount_micros bigint not null check (amount_micros > 0),
        held_micros bigint not null check (held_micros >= 0),
        actor_id uuid,
        reason text,
        status text not null default 'requested'
          check (status in ('requested', 'settled', 'returned', 'refused')),
        refund_id text,
        attempts integer not null default 0,
        last_error text,
        next_attempt_at timestamptz,
        created_at timestamptz not null,
        resolved_at timestamptz,
        approved_by uuid check (approved_by <> actor_id and approved_by <> account_id),
        primary key (account_id, id)
      )`);
    this.addSql(`create unique index refund_request_key on refund_request (account_id, idempotency_key)`);
    this.addSql(`create index refund_request_of_payment on refund_request (account_id, provider, payment_id)`);
    this.addSql(`
      create index refund_request_due on refund_request (next_attempt_at) where next_attempt_at is not null`);
  }

  private addDisputes(): void {
    this.addSql(`
      create table payment_dispute (
        account_id uuid not null,
        provider text not null,
        dispute_id text not null,
        payment_id text not null,
        amount_minor bigint not null check (amount_minor >= 0),
        currency text not null,
        state text not null check (state in ('open', 'won', 'lost')),
        provider_created_at timestamptz not null,
        open_micros bigint not null default 0 check (open_micros >= 0),
        lost_micros bigint not null default 0 check (lost_micros >= 0),
        created_at timestamptz not null,
        conflicts text[] not null default '{}',
        lost_minor bigint check (lost_minor >= 0),
        was_returned boolean not null default false,
        primary key (account_id, provider, dispute_id)
      )`);
    this.addSql(`create index payment_dispute_of_payment on payment_dispute (account_id, provider, payment_id)`);
  }

  /**
   * Signed bodies as received. They belong to no account until the payment is known. `facts` replaces a redacted body:
   * it says what concerns money, and nothing about persons.
   */
  private addInbox(): void {
    this.addSql(`
      create table webhook_event (
        provider text not null,
        event_id text not null,
        body_hash bytea not null,
        id uuid not null,
        type text not null,
        provider_created_at timestamptz not null,
        received_at timestamptz not null,
        body bytea not null,
        status text not null default 'pending'
          check (status in ('pending', 'done', 'waiting', 'ignored', 'suspense', 'failed')),
        attempts integer not null default 0,
        last_error text,
        next_attempt_at timestamptz,
        account_id uuid,
        payment_id text,
        outcome text,
        processed_at timestamptz,
        facts jsonb,
        redacted_at timestamptz,
        primary key (provider, event_id, body_hash)
      )`);
    this.addSql(`create unique index webhook_event_id on webhook_event (id)`);
    this.addSql(`
      create index webhook_event_due on webhook_event (next_attempt_at, id) where next_attempt_at is not null`);
    this.addSql(`create index webhook_event_of_payment on webhook_event (provider, payment_id)`);
    this.addSql(`create index webhook_event_status on webhook_event (status, id)`);
    this.addSql(`create index webhook_event_whole on webhook_event (received_at) where redacted_at is null`);
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
    this.addSql(`
      create trigger webhook_event_stays before delete or truncate on webhook_event
        for each statement execute function refuse_change()`);
    // The service may update only a few columns; this function is the only way to change the others. A webhook that is
    // not worked through, or could not be, keeps its body, whoever asks. None loses it in its first week, so that a
    // compromised service cannot erase what the providers have just reported.
    this.addSql(`
      create function redact_webhook(event uuid, says jsonb) returns boolean
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

  private addSuspense(): void {
    this.addSql(`
      create table suspense_item (
        account_id uuid not null,
        id uuid not null,
        provider text not null,
        payment_id text not null,
        topup_id uuid,
        order_id text,
        amount_minor bigint not null,
        currency text not null,
        amount_micros bigint,
        reason text not null,
        status text not null default 'open' check (status in ('open', 'refunded', 'resolved')),
        resolution text,
        resolved_by uuid,
        created_at timestamptz not null,
        resolved_at timestamptz,
        primary key (account_id, id)
      )`);
    this.addSql(`create unique index suspense_item_of_payment on suspense_item (account_id, provider, payment_id)`);
    this.addSql(`create index suspense_item_open on suspense_item (id) where status = 'open'`);
  }
}
