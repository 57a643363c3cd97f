import type { Statement } from '../../../db/sql.js';

const COLUMNS = `
  account_id, id, topup_id, provider, payment_id, amount_minor, amount_micros, held_micros, actor_id, reason, status,
  refund_id, last_error, created_at, resolved_at`;

export const REQUEST_BY_KEY: Statement = {
  name: 'refund-request-by-key',
  text: `select ${COLUMNS} from refund_request where account_id = $1 and idempotency_key = $2`,
};

export const REQUEST_BY_ID: Statement = {
  name: 'refund-request-by-id',
  text: `select ${COLUMNS} from refund_request where account_id = $1 and id = $2`,
};

export const REQUESTS_OF_TOPUPS: Statement = {
  name: 'refund-requests-of-topups',
  text: `select ${COLUMNS} from refund_request where account_id = $1 and topup_id = any ($2::uuid[]) order by id`,
};

/**
 * Its first call to the provider follows at once; the chore comes after that. No row where the key is taken: requests
 * about two top-ups do not wait for each other before.
 */
export const INSERT_REQUEST: Statement = {
  name: 'refund-request-insert',
  text: `
    insert into refund_request
      (account_id, id, idempotency_key, topup_id, provider, payment_id, amount_minor, amount_micros, held_micros,
        actor_id, reason, approved_by, created_at, next_attempt_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, service_now(), service_now() + interval '1 minute')
    on conflict (account_id, idempotency_key) do nothing
    returning id`,
};

export const PAYMENT_OF_TOPUP: Statement = {
  name: 'refund-payment-of-topup',
  text: `select * from payment where account_id = $1 and provider = $2 and payment_id = $3 for update`,
};

export const SUSPENDED: Statement = {
  name: 'refund-account-suspended',
  text: 'select suspended_at is not null as suspended from account where id = $1',
};

/**
 * Asked for and not at its end: taken one by one, and put off before the provider is called. What it has answered comes
 * again by the day, since there is nothing to do but to tell somebody.
 */
export const NEXT_DUE: Statement = {
  name: 'refund-request-due',
  text: `
    update refund_request r set attempts = attempts + 1,
      next_attempt_at = service_now() + case when refund_id is not null then interval '1 day'
        else least(interval '1 hour', interval '1 minute' * (2 ^ least(attempts, 10))) end
    from (
      select account_id, id from refund_request where next_attempt_at <= service_now() and status = 'requested'
      order by next_attempt_at limit 1 for update skip locked
    ) due
    where r.account_id = due.account_id and r.id = due.id
    returning r.account_id, r.id, r.attempts`,
};

/** Its webhook is on its way; somebody is told where it has not come within a week. */
export const ANSWERED: Statement = {
  name: 'refund-request-answered',
  text: `
    update refund_request set refund_id = $3, last_error = null,
      next_attempt_at = case when status = 'requested' then service_now() + interval '7 days' end
    where account_id = $1 and id = $2 and refund_id is null`,
};

/** The provider's refund that carries a request out, as its webhook told us: also where its answer was lost. */
export const TOLD_REFUND: Statement = {
  name: 'refund-request-told',
  text: `
    select refund_id from payment_refund
    where account_id = $1 and provider = $2 and payment_id = $3 and request_id = $4 order by created_at limit 1`,
};

export const LOCK_REQUEST: Statement = {
  name: 'refund-request-lock',
  text: `select ${COLUMNS} from refund_request where account_id = $1 and id = $2 for update`,
};

export const REFUSED: Statement = {
  name: 'refund-request-refused',
  text: `
    update refund_request set status = 'refused', last_error = $3, next_attempt_at = null, resolved_at = service_now()
    where account_id = $1 and id = $2`,
};

export const PUT_OFF: Statement = {
  name: 'refund-request-put-off',
  text: 'update refund_request set last_error = $3 where account_id = $1 and id = $2',
};
