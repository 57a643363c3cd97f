import type { WebhookRow } from '../support/supportPayments.views.js';
import type { StoredWebhook } from './storedFacts.js';
import type { ProviderName } from '../../../ports/paymentProvider.js';
import { type NoParams, statement } from '../../../db/sql.js';
import { NOW_ONCE } from '../../shared/clock/now.js';

export interface EventRow extends StoredWebhook {
  id: string;
  provider: ProviderName;
  type: string;
  attempts: number;
}

export const INBOX_RECEIVE = statement<{
  provider: ProviderName;
  eventId: string;
  hash: Buffer;
  id: string;
  type: string;
  createdAt: Date;
  rawBody: Buffer;
}>(
  'inbox-receive',
  `
    insert into webhook_event
      (provider, event_id, body_hash, id, type, provider_created_at, received_at, body, next_attempt_at)
    values (:provider, :eventId, :hash, :id, :type, :createdAt, service_now(), :rawBody, service_now())
    on conflict (provider, event_id, body_hash) do nothing
    returning id`,
);

export const INBOX_NEXT = statement<NoParams, EventRow>(
  'inbox-next',
  `
    select id, provider, type, body, facts, attempts from webhook_event
    where next_attempt_at <= ${NOW_ONCE}
    order by next_attempt_at, id limit 1 for update skip locked`,
);

/**
 * A waiting event is checked again after an hour if nothing wakes it earlier, and then less and less often: its payment
 * may never come.
 */
export const INBOX_DONE = statement<{
  id: string;
  status: string;
  outcome: string;
  accountId: string | null;
  paymentId: string | null;
}>(
  'inbox-done',
  `
    update webhook_event set status = :status, outcome = :outcome, account_id = :accountId, payment_id = :paymentId, last_error = null,
      processed_at = case when :status = 'waiting' then null else service_now() end,
      next_attempt_at = case when :status = 'waiting'
        then service_now() + greatest(interval '1 hour', service_now() - received_at) end
    where id = :id`,
);

/** Retries after 5, 10, 20 … seconds. After ten attempts it is left to staff. */
const INBOX_MAX_ATTEMPTS = 10;
export const INBOX_FAILED = statement<{ id: string; lastError: string }>(
  'inbox-failed',
  `
    update webhook_event set status = 'failed', last_error = :lastError, attempts = attempts + 1,
      next_attempt_at = case when attempts + 1 < ${INBOX_MAX_ATTEMPTS}
        then service_now() + interval '5 seconds' * (2 ^ attempts) end
    where id = :id and next_attempt_at is not null`,
);

/**
 * Takes no lock, because an event's facts never change. A process that has the event waits for the payment's turn, and
 * then finds it known.
 */
export const INBOX_WAITING = statement<{ provider: ProviderName; paymentId: string }, StoredWebhook>(
  'inbox-waiting',
  `
    select body, facts from webhook_event where provider = :provider and payment_id = :paymentId and status = 'waiting' order by id`,
);

/** Runs after the transaction that made the payment known, so that it holds no turn while it waits for rows. */
export const INBOX_WAKE = statement<{ provider: ProviderName; paymentIds: readonly string[] }>(
  'inbox-wake',
  `
    update webhook_event set status = 'pending', next_attempt_at = service_now()
    where status = 'waiting' and id in (
      select id from webhook_event where provider = :provider and payment_id = any (:paymentIds::text[]) and status = 'waiting'
      order by id for update)`,
);

/** The columns of a webhook that staff see. */
export const EVENT_COLUMNS = `
  id, provider, event_id, type, provider_created_at, received_at, status, attempts, last_error, next_attempt_at,
  account_id, payment_id, outcome, processed_at`;

/** Starts over, as if the webhook had just arrived. */
export const REPLAY_EVENT = statement<{ id: string }, WebhookRow>(
  'support-webhook-replay',
  `
    update webhook_event set status = 'pending', attempts = 0, next_attempt_at = service_now(), processed_at = null
    where id = :id returning ${EVENT_COLUMNS}`,
);
