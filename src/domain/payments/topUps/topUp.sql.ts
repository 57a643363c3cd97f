import { type NoParams, statement } from '../../../db/sql.js';
import { closeAlerts } from '../../shared/alerts/alert.sql.js';
import { NOW_ONCE } from '../../shared/clock/now.js';
import { TOPUP_COLUMNS, type TopUpRow } from './topUp.js';

export const TOPUP_BY_KEY = statement<{ accountId: string; idempotencyKey: string }, TopUpRow>(
  'topup-by-key',
  `select ${TOPUP_COLUMNS} from topup where account_id = :accountId and idempotency_key = :idempotencyKey`,
);

export const COUNT_OPEN = statement<{ accountId: string }, { open: number }>(
  'topup-count-open',
  `
    select count(*)::int as open from topup
    where account_id = :accountId and status in ('opening', 'open') and expires_at > service_now()`,
);

interface NewTopUp {
  readonly accountId: string;
  readonly id: string;
  readonly idempotencyKey: string;
  readonly provider: string;
  readonly isSandbox: boolean;
  readonly currency: string;
  readonly amountMinor: string;
  readonly microsPerMinor: string;
  readonly rateAsOf: Date | null;
  readonly returnPath: string;
  readonly validMinutes: number;
}

export const INSERT_TOPUP = statement<NewTopUp>(
  'topup-insert',
  `
    insert into topup
      (account_id, id, idempotency_key, provider, sandbox, currency, amount_minor, micros_per_minor, credit_micros,
        rate_as_of, return_path, created_at, expires_at, next_check_at)
    select :accountId, :id, :idempotencyKey, :provider, :isSandbox, :currency, :amountMinor, :microsPerMinor, :amountMinor::bigint * :microsPerMinor::bigint, :rateAsOf, :returnPath, now, now + :validMinutes * interval '1 minute',
      now + interval '10 minutes'
    from service_now() now
    on conflict (account_id, idempotency_key) do nothing`,
);

/**
 * Extends the quote of a checkout that was not opened at once, because the provider requires half an hour. For dollars
 * only within an hour of the quote; otherwise repeated attempts could keep an old rate indefinitely.
 */
export const MAKE_TIME = statement<{ accountId: string; id: string }, { expires_at: string }>(
  'topup-make-time',
  `
    update topup set expires_at = greatest(expires_at, service_now() + interval '35 minutes')
    where account_id = :accountId and id = :id and order_id is null and expires_at > service_now()
      and (rate_as_of is null or created_at > service_now() - interval '1 hour')
    returning expires_at`,
);

export const EMAIL_OF = statement<{ accountId: string }, { email: string }>(
  'topup-payer-email',
  'select email from auth."user" where id = :accountId',
);

/** The first checkout wins: a second one, opened at the same moment, is never shown to anyone. */
export const STORE_CHECKOUT = statement<{
  accountId: string;
  id: string;
  orderId: string;
  method: string;
  url: string;
  fields: string;
}>(
  'topup-store-checkout',
  `
    update topup set order_id = :orderId, checkout_method = :method, checkout_url = :url, checkout_fields = :fields,
      status = case when status = 'opening' then 'open' else status end
    where account_id = :accountId and id = :id and order_id is null
    returning true as stored`,
);

export const LIST_TOPUPS = statement<{ accountId: string; after: string | null; first: number }, TopUpRow>(
  'topup-list',
  `
    select ${TOPUP_COLUMNS} from topup
    where account_id = :accountId and (:after::uuid is null or id < :after) order by id desc limit :first`,
);

/** How long after expiry the provider is still asked: the payer may have been on the pay page. */
const ASK_HOURS_AFTER_EXPIRY = 24;
const PAGE = 50;

export const EXPIRE_DUE = statement(
  'reconciler-expire',
  `
    update topup set status = 'expired'
    where next_check_at <= ${NOW_ONCE} and status in ('opening', 'open') and expires_at <= service_now()`,
);

/**
 * Oldest first. Postpones the next check before the provider is asked, so that one that never answers does not block
 * the others, and no other process asks too. Postpones by ten minutes, or until 15 minutes after creation, when staff
 * are alerted.
 */
export const CLAIM_DUE = statement<NoParams, TopUpRow>(
  'reconciler-claim',
  `
    update topup t set next_check_at = case
        when t.expires_at + interval '${ASK_HOURS_AFTER_EXPIRY} hours' <= service_now() then null
        when t.created_at + interval '15 minutes' > service_now()
          then least(service_now() + interval '10 minutes', t.created_at + interval '15 minutes')
        else service_now() + interval '10 minutes' end
    from (
      select account_id, id from topup where next_check_at <= ${NOW_ONCE}
      order by next_check_at, id limit ${PAGE} for update skip locked
    ) due
    where t.account_id = due.account_id and t.id = due.id
    returning ${TOPUP_COLUMNS.replaceAll(/\b(account_id|id)\b/g, 't.$1')}`,
);

/** Paid at the provider but not here, 15 minutes after the order. Happens once. */
export const NOTE_MISSING_WEBHOOK = statement<
  { accountId: string; id: string },
  { webhook_missing_since: string | null }
>(
  'reconciler-missing',
  `
    update topup set provider_paid_at = coalesce(provider_paid_at, service_now()),
      webhook_missing_since = case
        when service_now() not between created_at and created_at + interval '15 minutes' then service_now() end
    where account_id = :accountId and id = :id and status <> 'paid' and webhook_missing_since is null
    returning webhook_missing_since`,
);

export const MARK_PAID = statement<{ accountId: string; id: string; paymentId: string; capturedAt: string | null }>(
  'topup-mark-paid',
  `
    update topup set status = 'paid', payment_id = :paymentId, captured_at = :capturedAt, credited_at = service_now(),
      next_check_at = null, webhook_missing_since = null
    where account_id = :accountId and id = :id`,
);

export const KEEP_EARLIEST_CAPTURE = statement<{
  accountId: string;
  topUpId: string | null;
  paymentId: string;
  capturedAt: string | null;
}>(
  'topup-earliest-capture',
  `
    update topup set captured_at = least(captured_at, :capturedAt::timestamptz)
    where account_id = :accountId and id = :topUpId and payment_id = :paymentId`,
);

/** Part of a statement: the top-up of a payment counts as unpaid again. */
export const TOPUP_UNPAID = `update topup set status = case when expires_at > service_now() then 'open' else 'expired' end,
        payment_id = null, captured_at = null, credited_at = null
      where account_id = :accountId and payment_id = :paymentId and provider = :provider`;

/** Records that the webhook arrived, whatever it said. An alert not yet sent is closed unsent. */
export const WEBHOOK_CAME = statement<{ accountId: string; id: string }>(
  'topup-webhook-came',
  `
    with came as (
      update topup set webhook_missing_since = null
      where account_id = :accountId and id = :id and webhook_missing_since is not null returning id
    )
    ${closeAlerts(`kind = 'payment.webhook_missing' and subject = (select id::text from came)`)}`,
);
