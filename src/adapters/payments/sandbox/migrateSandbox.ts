import type pg from 'pg';

/**
 * Creates the tables of the payment sandbox, or drops them in production.
 *
 * Migrations before the baseline created them in every database. They are dropped if production has them, and created
 * again if such a database is used for development. The other tables refer to orders: without orders, all are empty.
 * Production keeps tables that have rows, which somebody may still want to look at.
 */
export async function arrangePaymentSandbox(client: pg.Client, production: boolean): Promise<void> {
  if (production) {
    await client.query(DROP_EMPTY);
    return;
  }
  // Asking for an index that exists would wait for every writer of its table.
  const { rows } = await client.query(ABSENT);
  if (rows.length > 0) await client.query(CREATE_MISSING);
}

const ABSENT = `
  select from unnest(array['order', 'payment', 'refund', 'dispute', 'webhook']) kind
  where to_regclass('public.payment_sandbox_' || kind) is null`;

const DROP_EMPTY = `
  do $$
  begin
    if to_regclass('public.payment_sandbox_order') is null then return; end if;
    if exists (select from public.payment_sandbox_order) then return; end if;
    lock table public.payment_sandbox_order in access exclusive mode;
    if not exists (select from public.payment_sandbox_order) then
      drop table public.payment_sandbox_webhook, public.payment_sandbox_dispute, public.payment_sandbox_refund,
        public.payment_sandbox_payment, public.payment_sandbox_order;
    end if;
  end $$`;

/** Several statements in one query are one transaction. */
const CREATE_MISSING = `
  create table if not exists public.payment_sandbox_order (
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
  );
  create unique index if not exists payment_sandbox_order_topup
    on public.payment_sandbox_order (provider, topup_id);
  create table if not exists public.payment_sandbox_payment (
    payment_id text primary key,
    order_id text not null references public.payment_sandbox_order,
    state text not null check (state in ('authorized', 'captured', 'failed')),
    amount_minor bigint not null check (amount_minor > 0),
    payer_email text not null,
    refunds_fail boolean not null default false,
    created_at timestamptz not null,
    captured_at timestamptz
  );
  create index if not exists payment_sandbox_payment_order
    on public.payment_sandbox_payment (order_id, created_at);
  create table if not exists public.payment_sandbox_refund (
    refund_id text primary key,
    payment_id text not null references public.payment_sandbox_payment,
    amount_minor bigint not null check (amount_minor > 0),
    state text not null check (state in ('pending', 'processed', 'failed')),
    request_key text,
    created_at timestamptz not null
  );
  create index if not exists payment_sandbox_refund_payment
    on public.payment_sandbox_refund (payment_id, created_at);
  create unique index if not exists payment_sandbox_refund_key
    on public.payment_sandbox_refund (payment_id, request_key);
  create table if not exists public.payment_sandbox_dispute (
    dispute_id text primary key,
    payment_id text not null references public.payment_sandbox_payment,
    amount_minor bigint not null check (amount_minor > 0),
    state text not null check (state in ('open', 'won', 'lost')),
    created_at timestamptz not null
  );
  create index if not exists payment_sandbox_dispute_payment
    on public.payment_sandbox_dispute (payment_id, created_at);
  -- due_at is null for what was delivered, given up, or is never to be sent.
  create table if not exists public.payment_sandbox_webhook (
    id uuid primary key,
    provider text not null,
    order_id text not null references public.payment_sandbox_order,
    event_id text not null,
    type text not null,
    body text not null,
    created_at timestamptz not null,
    due_at timestamptz,
    attempts integer not null default 0,
    last_status integer,
    delivered_at timestamptz
  );
  create index if not exists payment_sandbox_webhook_due
    on public.payment_sandbox_webhook (due_at) where due_at is not null;
  create index if not exists payment_sandbox_webhook_order
    on public.payment_sandbox_webhook (order_id, created_at, id);`;
