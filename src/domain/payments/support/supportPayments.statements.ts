import type { Statement } from '../../../db/sql.js';
import { TOPUP_COLUMNS } from '../topUps/topUp.js';

const EVENT_COLUMNS = `
  id, provider, event_id, type, provider_created_at, received_at, status, attempts, last_error, next_attempt_at,
  account_id, payment_id, outcome, processed_at`;

export const LIST_EVENTS: Statement = {
  name: 'support-webhooks',
  text: `
    select ${EVENT_COLUMNS} from webhook_event
    where ($1::text is null or status = $1) and ($2::text is null or provider = $2) and ($3::uuid is null or id < $3)
    order by id desc limit $4`,
};

export const ONE_EVENT: Statement = {
  name: 'support-webhook',
  text: `select ${EVENT_COLUMNS}, body, facts::text as facts from webhook_event where id = $1`,
};

/** From the beginning: as if it had just come. */
export const REPLAY_EVENT: Statement = {
  name: 'support-webhook-replay',
  text: `
    update webhook_event set status = 'pending', attempts = 0, next_attempt_at = service_now(), processed_at = null
    where id = $1 returning ${EVENT_COLUMNS}`,
};

const ITEM_COLUMNS = `
  account_id, id, provider, payment_id, topup_id, order_id, amount_minor, currency, amount_micros, reason, status,
  resolution, created_at, resolved_at`;

export const LIST_SUSPENSE: Statement = {
  name: 'support-suspense',
  text: `
    select ${ITEM_COLUMNS} from suspense_item
    where ($1 or status = 'open') and ($2::uuid is null or id < $2) order by id desc limit $3`,
};

export const RESOLVE_SUSPENSE: Statement = {
  name: 'support-suspense-resolve',
  text: `
    update suspense_item set status = 'resolved', resolution = $2, resolved_by = $3, resolved_at = service_now()
    where id = $1 and status = 'open' returning ${ITEM_COLUMNS}`,
};

export const LIST_MISSING: Statement = {
  name: 'support-webhook-missing',
  text: `
    select ${TOPUP_COLUMNS} from topup
    where webhook_missing_since is not null and ($1::uuid is null or id < $1) order by id desc limit $2`,
};
