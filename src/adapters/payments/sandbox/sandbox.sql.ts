import type { ProviderName, Currency, RefundState } from '../../../ports/paymentProvider.js';
import { type NoParams, statement } from '../../../db/sql.js';

export interface OrderRow {
  order_id: string;
  provider: ProviderName;
  account_id: string;
  topup_id: string;
  amount_minor: string;
  currency: Currency;
  description: string;
  payer_email: string;
  return_url: string;
  created_at: string;
  expires_at: string;
  expired: boolean;
  now: string;
}

export interface DueRow {
  id: string;
  provider: ProviderName;
  event_id: string;
  type: string;
  body: string;
}

export interface WebhookRow {
  type: string;
  created_at: string;
  due_at: string | null;
  attempts: number;
  last_status: number | null;
  delivered_at: string | null;
}

export interface DisputeRow {
  dispute_id: string;
  payment_id: string;
  amount_minor: string;
  state: 'open' | 'won' | 'lost';
  created_at: string;
}

export interface RefundRow {
  refund_id: string;
  payment_id: string;
  amount_minor: string;
  state: RefundState;
  request_key: string | null;
  created_at: string;
}

export interface PaymentRow {
  payment_id: string;
  state: 'authorized' | 'captured' | 'failed';
  amount_minor: string;
  payer_email: string;
  refunds_fail: boolean;
  created_at: string;
}

/** Whole seconds, like the providers' times. */
const NOW = "date_trunc('second', service_now())";

/** Idempotent: the same top-up gets the same order. */
export const INSERT_ORDER = statement<
  {
    orderId: string;
    name: ProviderName;
    accountId: string;
    topUpId: string;
    amountMinor: string;
    currency: Currency;
    description: string;
    payerEmail: string;
    returnUrl: string;
    expiresAt: string;
  },
  { order_id: string }
>(
  'payment-sandbox-insert-order',
  `
    insert into payment_sandbox_order (order_id, provider, account_id, topup_id, amount_minor, currency, description,
      payer_email, return_url, created_at, expires_at)
    values (:orderId, :name, :accountId, :topUpId, :amountMinor, :currency, :description, :payerEmail, :returnUrl, ${NOW}, :expiresAt)
    on conflict (provider, topup_id) do update set return_url = excluded.return_url
    returning order_id`,
);

const ORDER_COLUMNS = `
  order_id, provider, account_id, topup_id, amount_minor, currency, description, payer_email, return_url, created_at,
  expires_at, expires_at <= service_now() as expired, ${NOW} as now`;

export const ORDER = statement<{ orderId: string }, OrderRow>(
  'payment-sandbox-order',
  `select ${ORDER_COLUMNS} from payment_sandbox_order where order_id = :orderId`,
);

export const LOCK_ORDER = statement<{ orderId: string }, OrderRow>(
  'payment-sandbox-lock-order',
  `select ${ORDER_COLUMNS} from payment_sandbox_order where order_id = :orderId for update`,
);

export const ORDER_OF_PAYMENT = statement<{ paymentId: string }, { order_id: string }>(
  'payment-sandbox-order-of-payment',
  'select order_id from payment_sandbox_payment where payment_id = :paymentId',
);

export const PAYMENTS = statement<{ orderId: string }, PaymentRow>(
  'payment-sandbox-payments',
  `
    select payment_id, state, amount_minor, payer_email, refunds_fail, created_at
    from payment_sandbox_payment where order_id = :orderId order by created_at, payment_id`,
);

export const REFUNDS = statement<{ orderId: string }, RefundRow>(
  'payment-sandbox-refunds',
  `
    select r.refund_id, r.payment_id, r.amount_minor, r.state, r.request_key, r.created_at
    from payment_sandbox_refund r join payment_sandbox_payment p using (payment_id)
    where p.order_id = :orderId order by r.created_at, r.refund_id`,
);

export const DISPUTES = statement<{ orderId: string }, DisputeRow>(
  'payment-sandbox-disputes',
  `
    select d.dispute_id, d.payment_id, d.amount_minor, d.state, d.created_at
    from payment_sandbox_dispute d join payment_sandbox_payment p using (payment_id)
    where p.order_id = :orderId order by d.created_at, d.dispute_id`,
);

export const WEBHOOKS = statement<{ orderId: string }, WebhookRow>(
  'payment-sandbox-webhooks',
  `
    select type, created_at, due_at, attempts, last_status, delivered_at
    from payment_sandbox_webhook where order_id = :orderId order by created_at, id limit 200`,
);

export const INSERT_PAYMENT = statement<{
  paymentId: string;
  orderId: string;
  state: string;
  amount: string;
  payerEmail: string;
  createdAt: string;
}>(
  'payment-sandbox-insert-payment',
  `
    insert into payment_sandbox_payment (payment_id, order_id, state, amount_minor, payer_email, created_at, captured_at)
    values (:paymentId, :orderId, :state, :amount, :payerEmail, :createdAt, case when :state = 'captured' then :createdAt::timestamptz end)`,
);

export const CAPTURE_PAYMENT = statement<{ paymentId: string; capturedAt: string }>(
  'payment-sandbox-capture-payment',
  `update payment_sandbox_payment set state = 'captured', captured_at = :capturedAt where payment_id = :paymentId`,
);

export const SET_REFUNDS_FAIL = statement<{ paymentId: string; fail: boolean }>(
  'payment-sandbox-set-refunds-fail',
  'update payment_sandbox_payment set refunds_fail = :fail where payment_id = :paymentId',
);

export const INSERT_REFUND = statement<{
  refundId: string;
  paymentId: string;
  amount: string;
  state: RefundState;
  requestKey: string | null;
  createdAt: string;
}>(
  'payment-sandbox-insert-refund',
  `
    insert into payment_sandbox_refund (refund_id, payment_id, amount_minor, state, request_key, created_at)
    values (:refundId, :paymentId, :amount, :state, :requestKey, :createdAt)`,
);

export const INSERT_DISPUTE = statement<{
  disputeId: string;
  paymentId: string;
  amountMinor: string;
  createdAt: string;
}>(
  'payment-sandbox-insert-dispute',
  `
    insert into payment_sandbox_dispute (dispute_id, payment_id, amount_minor, state, created_at)
    values (:disputeId, :paymentId, :amountMinor, 'open', :createdAt)`,
);

export const CLOSE_DISPUTE = statement<{ disputeId: string; outcome: string }>(
  'payment-sandbox-close-dispute',
  'update payment_sandbox_dispute set state = :outcome where dispute_id = :disputeId',
);

/** :afterSeconds is the delay in seconds; null holds it back. */
export const INSERT_WEBHOOK = statement<{
  id: string;
  provider: ProviderName;
  orderId: string;
  eventId: string;
  type: string;
  body: string;
  createdAt: string;
  afterSeconds: number | null;
}>(
  'payment-sandbox-insert-webhook',
  `
    insert into payment_sandbox_webhook (id, provider, order_id, event_id, type, body, created_at, due_at)
    values (:id, :provider, :orderId, :eventId, :type, :body, :createdAt::timestamptz, :createdAt::timestamptz + :afterSeconds::float8 * interval '1 second')`,
);

export const DELIVER_NOW = statement<{ orderId: string }>(
  'payment-sandbox-deliver-now',
  `
    update payment_sandbox_webhook set due_at = service_now()
    where order_id = :orderId and delivered_at is null`,
);

export const NEXT_DUE = statement<NoParams, DueRow>(
  'payment-sandbox-next-due',
  `
    select id, provider, event_id, type, body from payment_sandbox_webhook
    where due_at <= service_now() order by due_at, id limit 1 for update skip locked`,
);

export const DELIVERED = statement<{ id: string; status: number }>(
  'payment-sandbox-delivered',
  `
    update payment_sandbox_webhook
    set due_at = null, delivered_at = service_now(), attempts = attempts + 1, last_status = :status where id = :id`,
);

/** Retries after 10 seconds, doubling up to an hour. Gives up when the event is :giveUpHours hours old. */
export const NOT_DELIVERED = statement<{ id: string; status: number | null; giveUpHours: number }>(
  'payment-sandbox-not-delivered',
  `
    update payment_sandbox_webhook
    set attempts = attempts + 1, last_status = :status,
      due_at = case when service_now() < created_at + :giveUpHours::float8 * interval '1 hour'
        then service_now() + least(10 * 2 ^ least(attempts, 20), 3600) * interval '1 second' end
    where id = :id`,
);
