import { statement } from '../../../db/sql.js';
import type { EventType } from '../../shared/events/eventTypes.js';
import type { Resealed } from '../../shared/secrets/keyring.js';

export type DisabledReason = 'owner' | 'gone' | 'failing';

export interface EndpointRow {
  id: string;
  url: string;
  description: string;
  event_types: EventType[] | null;
  disabled_reason: DisabledReason | null;
  disabled_at: string | null;
  failing_since: string | null;
  created_at: string;
  previous_secret_ends_at: string | null;
}

interface OfEndpoint {
  accountId: string;
  id: string;
}

const COLUMNS = `e.id, e.url, e.description, e.event_types, e.disabled_reason, e.disabled_at, e.failing_since, e.created_at,
  (select max(s.ends_at) from webhook_secret s where s.account_id = e.account_id and s.endpoint_id = e.id
     and s.ends_at > service_now()) as previous_secret_ends_at`;

/** Returns no row for an account that has `max` endpoints. The account's row must be locked. */
export const insertEndpoint = statement<
  {
    accountId: string;
    id: string;
    url: string;
    description: string;
    eventTypes: readonly EventType[] | null;
    max: number;
  },
  EndpointRow
>(
  'webhook-endpoint-insert',
  `insert into webhook_endpoint as e
     (account_id, id, url, description, event_types, paused_until, lease_until, created_at)
   select :accountId, :id, :url, :description, :eventTypes, at.now, at.now, at.now
   from (select service_now() as now offset 0) at
   where (select count(*) from webhook_endpoint where account_id = :accountId) < :max::int
   returning ${COLUMNS}`,
);

/** Oldest first. */
export const listEndpoints = statement<{ accountId: string }, EndpointRow>(
  'webhook-endpoint-list',
  `select ${COLUMNS} from webhook_endpoint e where e.account_id = :accountId order by e.id`,
);

export const findEndpoint = statement<OfEndpoint, EndpointRow>(
  'webhook-endpoint-find',
  `select ${COLUMNS} from webhook_endpoint e where e.account_id = :accountId and e.id = :id`,
);

/**
 * Changes what is given: `null` leaves the URL or the description, and `setsTypes` tells whether `eventTypes` counts.
 * Another address begins without the failures of the last one.
 */
export const updateEndpoint = statement<
  OfEndpoint & {
    url: string | null;
    description: string | null;
    setsTypes: boolean;
    eventTypes: readonly EventType[] | null;
  },
  EndpointRow
>(
  'webhook-endpoint-update',
  `update webhook_endpoint e set url = coalesce(:url, e.url), description = coalesce(:description, e.description),
     event_types = case when :setsTypes::boolean then :eventTypes else e.event_types end,
     failing_since = case when e.url = coalesce(:url, e.url) then e.failing_since end,
     failures = case when e.url = coalesce(:url, e.url) then e.failures else 0 end,
     paused_until = case when e.url = coalesce(:url, e.url) then e.paused_until else service_now() end
   where e.account_id = :accountId and e.id = :id
   returning ${COLUMNS}`,
);

export const enableEndpoint = statement<OfEndpoint, EndpointRow>(
  'webhook-endpoint-enable',
  `update webhook_endpoint e set disabled_reason = null, disabled_at = null, failing_since = null, failures = 0,
     paused_until = service_now()
   where e.account_id = :accountId and e.id = :id
   returning ${COLUMNS}`,
);

export const disableEndpoint = statement<OfEndpoint, EndpointRow>(
  'webhook-endpoint-disable',
  `update webhook_endpoint e set disabled_reason = coalesce(e.disabled_reason, 'owner'),
     disabled_at = coalesce(e.disabled_at, service_now())
   where e.account_id = :accountId and e.id = :id
   returning ${COLUMNS}`,
);

/** All endpoints of these accounts. */
export const disableEndpoints = statement<{ accountIds: readonly string[] }>(
  'webhook-endpoint-disable-all',
  `update webhook_endpoint set disabled_reason = 'owner', disabled_at = service_now()
   where account_id = any (:accountIds::uuid[]) and disabled_at is null`,
);

/** Its secrets go with it. Its deliveries are not sent any more, and are deleted later. */
export const deleteEndpoint = statement<OfEndpoint, { url: string }>(
  'webhook-endpoint-delete',
  `with deleted as (
     delete from webhook_endpoint where account_id = :accountId and id = :id returning account_id, id, url
   )
   insert into deleted_webhook_endpoint (account_id, id, deleted_at)
   select account_id, id, service_now() from deleted
   returning (select url from deleted)`,
);

/** Sends at once, whatever has failed before. Returns no row where the endpoint is disabled. */
export const resumeEndpoint = statement<OfEndpoint, { id: string }>(
  'webhook-endpoint-resume',
  `update webhook_endpoint set paused_until = service_now()
   where account_id = :accountId and id = :id and disabled_at is null returning id`,
);

export const lockEndpoint = statement<OfEndpoint, { id: string }>(
  'webhook-endpoint-lock',
  'select id from webhook_endpoint where account_id = :accountId and id = :id for update',
);

export const insertSecret = statement<{
  accountId: string;
  endpointId: string;
  id: string;
  masterKeyId: string;
  sealed: Buffer;
}>(
  'webhook-secret-insert',
  `insert into webhook_secret (account_id, endpoint_id, id, master_key_id, sealed)
   values (:accountId, :endpointId, :id, :masterKeyId, :sealed)`,
);

/** The one before the current one ends now: at most two sign. */
export const forgetPreviousSecret = statement<{ accountId: string; endpointId: string }>(
  'webhook-secret-forget',
  `delete from webhook_secret where account_id = :accountId and endpoint_id = :endpointId and ends_at is not null`,
);

export const endCurrentSecret = statement<{ accountId: string; endpointId: string; hours: number }>(
  'webhook-secret-end',
  `update webhook_secret set ends_at = service_now() + make_interval(hours => :hours::int)
   where account_id = :accountId and endpoint_id = :endpointId and ends_at is null`,
);

export interface SecretRow {
  id: string;
  master_key_id: string;
  sealed: Buffer;
}

/** Those that sign, the current one first. */
export const signingSecrets = statement<{ accountId: string; endpointId: string }, SecretRow>(
  'webhook-secret-signing',
  `select id, master_key_id, sealed from webhook_secret
   where account_id = :accountId and endpoint_id = :endpointId and (ends_at is null or ends_at > service_now())
   order by ends_at nulls first`,
);

interface SecretPlace {
  readonly accountId: string;
  readonly endpointId: string;
  readonly id: string;
}

/** A page in order of the primary key, after the given place. */
export const WEBHOOK_SECRETS_AFTER = statement<
  SecretPlace & { most: number },
  { account_id: string; endpoint_id: string; id: string; master_key_id: string; sealed: Buffer }
>(
  'rewrap-webhook-secrets',
  `
    select account_id, endpoint_id, id, master_key_id, sealed from webhook_secret
    where (account_id, endpoint_id, id) > (:accountId, :endpointId, :id)
    order by account_id, endpoint_id, id limit :most`,
);

/** Stores the secret sealed under a new key, unless it changed in the meantime. */
export const REPLACE_WEBHOOK_SECRET = statement<Resealed & SecretPlace>(
  'rewrap-webhook-secret',
  `
    update webhook_secret set master_key_id = :masterKeyId, sealed = :sealed
    where sealed = :before and account_id = :accountId and endpoint_id = :endpointId and id = :id
    returning 1 as done`,
);
