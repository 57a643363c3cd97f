import type { Statement } from '../../../db/sql.js';
import { TOPUP_COLUMNS } from './topUp.js';

export const TOPUP_BY_KEY: Statement = {
  name: 'topup-by-key',
  text: `select ${TOPUP_COLUMNS} from topup where account_id = $1 and idempotency_key = $2`,
};

/** One account opens its top-ups one after the other, so that their number can be counted. */
export const LOCK_OWNER: Statement = {
  name: 'topup-lock-owner',
  text: `select suspended_at is not null as suspended from account where id = $1 for update`,
};

export const COUNT_OPEN: Statement = {
  name: 'topup-count-open',
  text: `
    select count(*)::int as open from topup
    where account_id = $1 and status in ('opening', 'open') and expires_at > service_now()`,
};

export const INSERT_TOPUP: Statement = {
  name: 'topup-insert',
  text: `
    insert into topup
      (account_id, id, idempotency_key, provider, sandbox, currency, amount_minor, micros_per_minor, credit_micros,
        rate_as_of, return_path, created_at, expires_at, next_check_at)
    select $1, $2, $3, $4, $5, $6, $7, $8, $7::bigint * $8::bigint, $9, $10, now, now + $11 * interval '1 minute',
      now + interval '10 minutes'
    from service_now() now
    on conflict (account_id, idempotency_key) do nothing`,
};

/**
 * A checkout that was not opened at once gets the half hour that its provider asks for. In dollars only within the hour
 * of its quote: else whoever asks again and again keeps an old rate for as long as he likes.
 */
export const MAKE_TIME: Statement = {
  name: 'topup-make-time',
  text: `
    update topup set expires_at = greatest(expires_at, service_now() + interval '35 minutes')
    where account_id = $1 and id = $2 and order_id is null and expires_at > service_now()
      and (rate_as_of is null or created_at > service_now() - interval '1 hour')
    returning expires_at`,
};

export const EMAIL_OF: Statement = {
  name: 'topup-payer-email',
  text: 'select email from auth."user" where id = $1',
};

/** The first checkout stays: a second one, asked for at the same moment, is never shown to anybody. */
export const STORE_CHECKOUT: Statement = {
  name: 'topup-store-checkout',
  text: `
    update topup set order_id = $3, checkout_method = $4, checkout_url = $5, checkout_fields = $6,
      status = case when status = 'opening' then 'open' else status end
    where account_id = $1 and id = $2 and order_id is null
    returning true as stored`,
};

export const LIST_TOPUPS: Statement = {
  name: 'topup-list',
  text: `
    select ${TOPUP_COLUMNS} from topup
    where account_id = $1 and ($2::uuid is null or id < $2) order by id desc limit $3`,
};
