import type { Statement } from '../../../db/sql.js';

export const INBOX_RECEIVE: Statement = {
  name: 'inbox-receive',
  text: `
    insert into webhook_event
      (provider, event_id, body_hash, id, type, provider_created_at, received_at, body, next_attempt_at)
    values ($1, $2, $3, $4, $5, $6, service_now(), $7, service_now())
    on conflict (provider, event_id, body_hash) do nothing
    returning id`,
};

export const INBOX_NEXT: Statement = {
  name: 'inbox-next',
  text: `
    select id, provider, type, body, facts, attempts from webhook_event
    where next_attempt_at <= service_now()
    order by next_attempt_at, id limit 1 for update skip locked`,
};

/** What waits looks again in an hour, should nobody have woken it, and then ever more seldom: it may be nobody's. */
export const INBOX_DONE: Statement = {
  name: 'inbox-done',
  text: `
    update webhook_event set status = $2, outcome = $3, account_id = $4, payment_id = $5, last_error = null,
      processed_at = case when $2 = 'waiting' then null else service_now() end,
      next_attempt_at = case when $2 = 'waiting'
        then service_now() + greatest(interval '1 hour', service_now() - received_at) end
    where id = $1`,
};

/** Seconds that double from five on: after ten attempts it is left to people. */
export const INBOX_MAX_ATTEMPTS = 10;
export const INBOX_FAILED: Statement = {
  name: 'inbox-failed',
  text: `
    update webhook_event set status = 'failed', last_error = $2, attempts = attempts + 1,
      next_attempt_at = case when attempts + 1 < ${INBOX_MAX_ATTEMPTS}
        then service_now() + interval '5 seconds' * (2 ^ attempts) end
    where id = $1 and next_attempt_at is not null`,
};

/** What an event says never changes, so nothing is locked: whoever has one in hand waits for the payment's turn, and finds it known. */
export const INBOX_WAITING: Statement = {
  name: 'inbox-waiting',
  text: `
    select body, facts from webhook_event where provider = $1 and payment_id = $2 and status = 'waiting' order by id`,
};

/** Outside the transaction that made the payment known: it holds no turn while it waits for a row. */
export const INBOX_WAKE: Statement = {
  name: 'inbox-wake',
  text: `
    update webhook_event set status = 'pending', next_attempt_at = service_now()
    where status = 'waiting' and id in (
      select id from webhook_event where provider = $1 and payment_id = any ($2::text[]) and status = 'waiting'
      order by id for update)`,
};

/** What staff see of one. */
export const EVENT_COLUMNS = `
  id, provider, event_id, type, provider_created_at, received_at, status, attempts, last_error, next_attempt_at,
  account_id, payment_id, outcome, processed_at`;

/** From the beginning: as if it had just come. */
export const REPLAY_EVENT: Statement = {
  name: 'support-webhook-replay',
  text: `
    update webhook_event set status = 'pending', attempts = 0, next_attempt_at = service_now(), processed_at = null
    where id = $1 returning ${EVENT_COLUMNS}`,
};
