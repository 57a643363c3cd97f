import { Migration } from '@mikro-orm/migrations';

/**
 * Data of the stand-in for Razorpay and Stripe, keyed by the providers' ids. It stands for another service's database:
 * none of our tables refer to it, and production never writes it.
 */
export class Migration0015PaymentSandbox extends Migration {
  override up(): void {
    this.addSql(`
      create table payment_sandbox_order (
        order_id text primary key,
        provider text not null check (provider in ('razorpay', 'stripe')),
        account_id uuid not null,
        topup_id uuid not null,
        amount_minor bigint not null check (amount_minor > 0),
        currency text not null,
        description text not null,
        payer_email text not null,
        return_url text not null,
        created_at timestamptz not null,
        expires_at timestamptz not null
      )`);
    this.addSql(`create unique index payment_sandbox_order_topup on payment_sandbox_order (provider, topup_id)`);
    this.addSql(`
      create table payment_sandbox_payment (
        payment_id text primary key,
        order_id text not null references payment_sandbox_order,
        state text not null check (state in ('authorized', 'captured', 'failed')),
        amount_minor bigint not null check (amount_minor > 0),
        payer_email text not null,
        refunds_fail boolean not null default false,
        created_at timestamptz not null,
        captured_at timestamptz
      )`);
    this.addSql(`create index payment_sandbox_payment_order on payment_sandbox_payment (order_id, created_at)`);
    this.addSql(`
      create table payment_sandbox_refund (
        refund_id text primary key,
        payment_id text not null references payment_sandbox_payment,
        amount_minor bigint not null check (amount_minor > 0),
        state text not null check (state in ('pending', 'processed', 'failed')),
        request_key text,
        created_at timestamptz not null
      )`);
    this.addSql(`create index payment_sandbox_refund_payment on payment_sandbox_refund (payment_id, created_at)`);
    this.addSql(`create unique index payment_sandbox_refund_key on payment_sandbox_refund (payment_id, request_key)`);
    this.addSql(`
      create table payment_sandbox_dispute (
        dispute_id text primary key,
        payment_id text not null references payment_sandbox_payment,
        amount_minor bigint not null check (amount_minor > 0),
        state text not null check (state in ('open', 'won', 'lost')),
        created_at timestamptz not null
      )`);
    this.addSql(`create index payment_sandbox_dispute_payment on payment_sandbox_dispute (payment_id, created_at)`);
    // due_at is null for webhooks that were delivered, given up, or are never sent.
    this.addSql(`
      create table payment_sandbox_webhook (
        id uuid primary key,
        provider text not null,
        order_id text not null references payment_sandbox_order,
        event_id text not null,
        type text not null,
        body text not null,
        created_at timestamptz not null,
        due_at timestamptz,
        attempts integer not null default 0,
        last_status integer,
        delivered_at timestamptz
      )`);
    this.addSql(
      `create index payment_sandbox_webhook_due on payment_sandbox_webhook (due_at) where due_at is not null`,
    );
    this.addSql(`create index payment_sandbox_webhook_order on payment_sandbox_webhook (order_id, created_at, id)`);
  }
}
