import type { Statement } from '../../../db/sql.js';

/** Whole seconds, as the providers' times are. */
const NOW = "date_trunc('second', service_now())";

/** Asked for again, the same top-up has the same order. */
export const INSERT_ORDER: Statement = {
  name: 'payment-sandbox-insert-order',
  text: `
    insert into payment_sandbox_order (order_id, provider, account_id, topup_id, amount_minor, currency, description,
      payer_email, return_url, created_at, expires_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, ${NOW}, $10)
    on conflict (provider, topup_id) do update set return_url = excluded.return_url
    returning order_id`,
};

const ORDER_COLUMNS = `
  order_id, provider, account_id, topup_id, amount_minor, currency, description, payer_email, return_url, created_at,
  expires_at, expires_at <= service_now() as expired, ${NOW} as now`;

export const ORDER: Statement = {
  name: 'payment-sandbox-order',
  text: `select ${ORDER_COLUMNS} from payment_sandbox_order where order_id = $1`,
};

export const LOCK_ORDER: Statement = {
  name: 'payment-sandbox-lock-order',
  text: `select ${ORDER_COLUMNS} from payment_sandbox_order where order_id = $1 for update`,
};

export const ORDER_OF_PAYMENT: Statement = {
  name: 'payment-sandbox-order-of-payment',
  text: 'select order_id from payment_sandbox_payment where payment_id = $1',
};

export const PAYMENTS: Statement = {
  name: 'payment-sandbox-payments',
  text: `
    select payment_id, state, amount_minor, payer_email, refunds_fail, created_at
    from payment_sandbox_payment where order_id = $1 order by created_at, payment_id`,
};

export const REFUNDS: Statement = {
  name: 'payment-sandbox-refunds',
  text: `
    select r.refund_id, r.payment_id, r.amount_minor, r.state, r.request_key, r.created_at
    from payment_sandbox_refund r join payment_sandbox_payment p using (payment_id)
    where p.order_id = $1 order by r.created_at, r.refund_id`,
};

export const DISPUTES: Statement = {
  name: 'payment-sandbox-disputes',
  text: `
    select d.dispute_id, d.payment_id, d.amount_minor, d.state, d.created_at
    from payment_sandbox_dispute d join payment_sandbox_payment p using (payment_id)
    where p.order_id = $1 order by d.created_at, d.dispute_id`,
};

export const WEBHOOKS: Statement = {
  name: 'payment-sandbox-webhooks',
  text: `
    select type, created_at, due_at, attempts, last_status, delivered_at
    from payment_sandbox_webhook where order_id = $1 order by created_at, id limit 200`,
};

export const INSERT_PAYMENT: Statement = {
  name: 'payment-sandbox-insert-payment',
  text: `
    insert into payment_sandbox_payment (payment_id, order_id, state, amount_minor, payer_email, created_at, captured_at)
    values ($1, $2, $3, $4, $5, $6, case when $3 = 'captured' then $6::timestamptz end)`,
};

export const CAPTURE_PAYMENT: Statement = {
  name: 'payment-sandbox-capture-payment',
  text: `update payment_sandbox_payment set state = 'captured', captured_at = $2 where payment_id = $1`,
};

export const SET_REFUNDS_FAIL: Statement = {
  name: 'payment-sandbox-set-refunds-fail',
  text: 'update payment_sandbox_payment set refunds_fail = $2 where payment_id = $1',
};

export const INSERT_REFUND: Statement = {
  name: 'payment-sandbox-insert-refund',
  text: `
    insert into payment_sandbox_refund (refund_id, payment_id, amount_minor, state, request_key, created_at)
    values ($1, $2, $3, $4, $5, $6)`,
};

export const INSERT_DISPUTE: Statement = {
  name: 'payment-sandbox-insert-dispute',
  text: `
    insert into payment_sandbox_dispute (dispute_id, payment_id, amount_minor, state, created_at)
    values ($1, $2, $3, 'open', $4)`,
};

export const CLOSE_DISPUTE: Statement = {
  name: 'payment-sandbox-close-dispute',
  text: 'update payment_sandbox_dispute set state = $2 where dispute_id = $1',
};

/** $8 is the delay in seconds; null holds it back. */
export const INSERT_WEBHOOK: Statement = {
  name: 'payment-sandbox-insert-webhook',
  text: `
    insert into payment_sandbox_webhook (id, provider, order_id, event_id, type, body, created_at, due_at)
    values ($1, $2, $3, $4, $5, $6, $7::timestamptz, $7::timestamptz + $8::float8 * interval '1 second')`,
};

export const DELIVER_NOW: Statement = {
  name: 'payment-sandbox-deliver-now',
  text: `
    update payment_sandbox_webhook set due_at = service_now()
    where order_id = $1 and delivered_at is null`,
};

export const NEXT_DUE: Statement = {
  name: 'payment-sandbox-next-due',
  text: `
    select id, provider, event_id, type, body, attempts from payment_sandbox_webhook
    where due_at <= service_now() order by due_at, id limit 1 for update skip locked`,
};

export const DELIVERED: Statement = {
  name: 'payment-sandbox-delivered',
  text: `
    update payment_sandbox_webhook
    set due_at = null, delivered_at = service_now(), attempts = attempts + 1, last_status = $2 where id = $1`,
};

/** Seconds that double from ten up to an hour; given up when the event is $3 hours old. */
export const NOT_DELIVERED: Statement = {
  name: 'payment-sandbox-not-delivered',
  text: `
    update payment_sandbox_webhook
    set attempts = attempts + 1, last_status = $2,
      due_at = case when service_now() < created_at + $3::float8 * interval '1 hour'
        then service_now() + least(10 * 2 ^ least(attempts, 20), 3600) * interval '1 second' end
    where id = $1`,
};
