import type { RequestStatus } from '../settlement/evaluate.js';
import type { PaymentRow } from '../settlement/payment.sql.js';
import type { ProviderName } from '../../../ports/paymentProvider.js';
import type { RefundRequestRow } from './refundRequest.js';
import { type NoParams, statement } from '../../../db/sql.js';
import { NOW_ONCE } from '../../shared/clock/now.js';

const COLUMNS = `
  account_id, id, topup_id, provider, payment_id, amount_minor, amount_micros, held_micros, actor_id, status,
  refund_id, last_error, created_at, resolved_at`;

export const REQUEST_BY_KEY = statement<{ accountId: string; idempotencyKey: string }, RefundRequestRow>(
  'refund-request-by-key',
  `select ${COLUMNS} from refund_request where account_id = :accountId and idempotency_key = :idempotencyKey`,
);

export const REQUEST_BY_ID = statement<{ accountId: string; id: string }, RefundRequestRow>(
  'refund-request-by-id',
  `select ${COLUMNS} from refund_request where account_id = :accountId and id = :id`,
);

export const REQUESTS_OF_TOPUPS = statement<{ accountId: string; topUpIds: readonly string[] }, RefundRequestRow>(
  'refund-requests-of-topups',
  `select ${COLUMNS} from refund_request where account_id = :accountId and topup_id = any (:topUpIds::uuid[]) order by id`,
);

/**
 * The first call to the provider follows immediately; the chore only retries later. Returns no row if the key is taken.
 * Requests about different top-ups do not wait for each other before this.
 */
export const INSERT_REQUEST = statement<{
  accountId: string;
  id: string;
  idempotencyKey: string;
  topUpId: string;
  provider: ProviderName;
  paymentId: string;
  amountMinor: string;
  amountMicros: string;
  heldMicros: string;
  actorId: string | null;
  reason: string | null;
  approvedBy: string | null;
}>(
  'refund-request-insert',
  `
    insert into refund_request
      (account_id, id, idempotency_key, topup_id, provider, payment_id, amount_minor, amount_micros, held_micros,
        actor_id, reason, approved_by, created_at, next_attempt_at)
    values (:accountId, :id, :idempotencyKey, :topUpId, :provider, :paymentId, :amountMinor, :amountMicros, :heldMicros, :actorId, :reason, :approvedBy, service_now(), service_now() + interval '1 minute')
    on conflict (account_id, idempotency_key) do nothing
    returning id`,
);

export const PAYMENT_OF_TOPUP = statement<{ accountId: string; provider: ProviderName; paymentId: string }, PaymentRow>(
  'refund-payment-of-topup',
  `select * from payment where account_id = :accountId and provider = :provider and payment_id = :paymentId for update`,
);

/**
 * Requested refunds that have not ended. Takes one at a time, and postpones it before the provider is called. Refunds
 * that the provider has answered come up once a day, since all that is left to do is to alert staff.
 */
export const NEXT_DUE = statement<NoParams, { account_id: string; id: string; attempts: number }>(
  'refund-request-due',
  `
    update refund_request r set attempts = attempts + 1,
      next_attempt_at = service_now() + case when refund_id is not null then interval '1 day'
        else least(interval '1 hour', interval '1 minute' * (2 ^ least(attempts, 10))) end
    from (
      select account_id, id from refund_request where next_attempt_at <= ${NOW_ONCE} and status = 'requested'
      order by next_attempt_at limit 1 for update skip locked
    ) due
    where r.account_id = due.account_id and r.id = due.id
    returning r.account_id, r.id, r.attempts`,
);

/** The provider's webhook should follow. Staff are alerted if it has not come within a week. */
export const ANSWERED = statement<{ accountId: string; id: string; refundId: string }>(
  'refund-request-answered',
  `
    update refund_request set refund_id = :refundId, last_error = null,
      next_attempt_at = case when status = 'requested' then service_now() + interval '7 days' end
    where account_id = :accountId and id = :id and refund_id is null`,
);

/** The provider's refund for a request, as reported by its webhook. Found even if the response to our call was lost. */
export const TOLD_REFUND = statement<
  { accountId: string; provider: ProviderName; paymentId: string; requestId: string },
  { refund_id: string }
>(
  'refund-request-told',
  `
    select refund_id from payment_refund
    where account_id = :accountId and provider = :provider and payment_id = :paymentId and request_id = :requestId order by created_at limit 1`,
);

export const LOCK_REQUEST = statement<{ accountId: string; id: string }, RefundRequestRow>(
  'refund-request-lock',
  `select ${COLUMNS} from refund_request where account_id = :accountId and id = :id for update`,
);

export const REFUSED = statement<{ accountId: string; id: string; message: string }>(
  'refund-request-refused',
  `
    update refund_request set status = 'refused', last_error = :message, next_attempt_at = null, resolved_at = service_now()
    where account_id = :accountId and id = :id`,
);

export const PUT_OFF = statement<{ accountId: string; id: string; message: string }>(
  'refund-request-put-off',
  'update refund_request set last_error = :message where account_id = :accountId and id = :id',
);

/** What the payment's settlement decided about a request. */
export const SAVE_REQUEST = statement<{ accountId: string; requestId: string; status: RequestStatus }>(
  'payment-save-request',
  `
    update refund_request set status = :status, next_attempt_at = null, resolved_at = service_now()
    where account_id = :accountId and id = :requestId`,
);
