import { type NoParams, statement } from '../../../db/sql.js';
import type { EventType } from '../../shared/events/eventTypes.js';
import { isTestAccount } from '../testMode/testAccount.sql.js';
import { movedSecondsOf } from '../testMode/testFacts.js';
import { testFaultOf } from '../testMode/testFaults.js';
import type { DisabledReason } from './endpoint.sql.js';

export type DeliveryState = 'pending' | 'succeeded' | 'failed';
/** Sent by the test button; it is in no log. */
export const TEST_EVENT = 'webhook.test';

export interface DeliveryRow {
  number: string;
  event_id: string;
  type: EventType | typeof TEST_EVENT;
  state: DeliveryState;
  attempts: number;
  created_at: string;
  next_attempt_at: string | null;
  last_status: number | null;
  last_error: string | null;
}

export interface AttemptRow {
  id: string;
  created_at: string;
  url: string;
  status: number | null;
  error: string | null;
  duration_ms: number;
  answer: string;
}

interface OfEndpoint {
  accountId: string;
  endpointId: string;
}

interface KeptOfEndpoint extends OfEndpoint {
  /** How many days deliveries and attempts are kept. */
  keepDays: number;
}

const COLUMNS = 'number, event_id, type, state, attempts, created_at, next_attempt_at, last_status, last_error';
const IS_KEPT = 'created_at > service_now() - make_interval(days => :keepDays)';

/** Newest first. */
export const listDeliveries = statement<
  KeptOfEndpoint & { before: string | null; state: DeliveryState | null; first: number },
  DeliveryRow
>(
  'webhook-delivery-list',
  `select ${COLUMNS} from webhook_delivery
   where account_id = :accountId and endpoint_id = :endpointId and ${IS_KEPT}
     and number < coalesce(:before::bigint, 9223372036854775807)
     and (:state::text is null or state = :state)
   order by number desc limit :first`,
);

export const findDelivery = statement<KeptOfEndpoint & { number: string }, DeliveryRow>(
  'webhook-delivery-find',
  `select ${COLUMNS} from webhook_delivery
   where account_id = :accountId and endpoint_id = :endpointId and number = :number and ${IS_KEPT}`,
);

/** Newest first; `before` is the time and id of the last one seen. */
export const listAttempts = statement<
  KeptOfEndpoint & { eventId: string; beforeTime: string | null; beforeId: string | null; first: number },
  AttemptRow
>(
  'webhook-attempt-list',
  `select id, created_at, url, status, error, duration_ms, answer from webhook_attempt
   where account_id = :accountId and endpoint_id = :endpointId and event_id = :eventId and ${IS_KEPT}
     and (:beforeTime::timestamptz is null or (created_at, id) < (:beforeTime::timestamptz, :beforeId::uuid))
   order by created_at desc, id desc limit :first`,
);

export const insertTest = statement<OfEndpoint & { eventId: string }, DeliveryRow>(
  'webhook-delivery-test',
  `insert into webhook_delivery (account_id, created_at, endpoint_id, event_id, type, next_attempt_at)
   select :accountId, at.now, :endpointId, :eventId, '${TEST_EVENT}', at.now
   from (select service_now() as now offset 0) at
   returning ${COLUMNS}`,
);

/** One that has ended begins again; one that is waiting for its next attempt is tried at once. */
export const replayOne = statement<KeptOfEndpoint & { number: string }, DeliveryRow>(
  'webhook-delivery-replay',
  `update webhook_delivery set state = 'pending', next_attempt_at = service_now(),
     attempts = case when state = 'pending' then attempts else 0 end
   where account_id = :accountId and endpoint_id = :endpointId and number = :number and ${IS_KEPT}
   returning ${COLUMNS}`,
);

/**
 * The events of a time, in their order, each with its delivery to the endpoint. A microsecond apart, so that they are
 * sent in this order.
 */
export const replayRange = statement<
  KeptOfEndpoint & { since: string; until: string; includeDelivered: boolean; max: number },
  object
>(
  'webhook-delivery-replay-range',
  `with wanted as (
     select v.created_at, v.id, v.type,
       service_now() + row_number() over (order by v.created_at, v.seq, v.id) * interval '1 microsecond' as due
     from event v join webhook_endpoint e on e.account_id = :accountId and e.id = :endpointId
     where v.account_id = :accountId and v.created_at >= :since::timestamptz and v.created_at < :until::timestamptz
       and v.${IS_KEPT} and (e.event_types is null or v.type = any (e.event_types))
       and (:includeDelivered::boolean or not exists (
         select from webhook_delivery d where d.account_id = :accountId and d.created_at = v.created_at
           and d.endpoint_id = :endpointId and d.event_id = v.id and d.state <> 'failed'))
     order by v.created_at, v.seq, v.id limit :max
   )
   insert into webhook_delivery as d (account_id, created_at, endpoint_id, event_id, type, next_attempt_at)
   select :accountId, w.created_at, :endpointId, w.id, w.type, w.due from wanted w order by w.due
   on conflict (account_id, created_at, endpoint_id, event_id) do update
     set state = 'pending', next_attempt_at = excluded.next_attempt_at, attempts = 0
     where d.state <> 'pending'
   returning 1`,
);

/** Tells deliverers, when the transaction commits, that the account has something to send. */
export const wakeDeliverers = statement<{ accountId: string }>(
  'webhook-wake',
  `select pg_notify('dhara_events', json_build_object('kind', 'event', 'accountId', :accountId::uuid)::text)`,
);

export interface LeasedRow {
  account_id: string;
  id: string;
  url: string;
  failing_since: string | null;
  failures: number;
  test_fault: string | null;
  /** The holder of the lease knows when it ends. */
  lease_until: string;
}

/**
 * SQL for what an endpoint counts of its failures: nothing once it was not tried for :maxQuietSeconds. Those from before
 * the last failure was noted count from the first one.
 */
const unlessQuiet = (failures: string, fresh: string): string =>
  `case when coalesce(e.last_failed_at, e.failing_since) < service_now() - make_interval(secs => :maxQuietSeconds) then ${fresh} else ${failures} end`;

interface LeaseParams {
  max: number;
  seconds: number;
  maxQuietSeconds: number;
}

/** Leases those of `endpoints` that have something due and that no deliverer has, those that waited longest first. */
const leaseSome = (endpoints: string): string => `free as (
     select e.account_id, e.id from ${endpoints}
     where e.disabled_at is null and e.lease_until <= service_now() and e.paused_until <= service_now()
       and exists (
         select from webhook_delivery d where d.account_id = e.account_id and d.endpoint_id = e.id
           and d.state = 'pending' and d.next_attempt_at <= service_now())
     order by e.lease_until limit :max for update of e skip locked
   )
   update webhook_endpoint e set lease_until = service_now() + make_interval(secs => :seconds),
     failing_since = ${unlessQuiet('e.failing_since', 'null')}, failures = ${unlessQuiet('e.failures', '0')}
   from free where e.account_id = free.account_id and e.id = free.id
   returning e.account_id, e.id, e.url, e.failing_since, e.failures, e.lease_until,
     ${testFaultOf('e.account_id', 'e.id')} as test_fault`;

/** Of these accounts alone. */
export const leaseOfAccounts = statement<LeaseParams & { accountIds: readonly string[] }, LeasedRow>(
  'webhook-lease-of-accounts',
  `with ${leaseSome('unnest(:accountIds::uuid[]) asked (id) join webhook_endpoint e on e.account_id = asked.id')}`,
);

/**
 * Of all accounts. Goes from one endpoint that has something pending to the next in the index of pending deliveries, so
 * endpoints that wait for nothing cost nothing, however many there are, and neither does a long queue of one endpoint.
 */
export const leaseOfAll = statement<LeaseParams, LeasedRow>(
  'webhook-lease-of-all',
  `with recursive waiting as (
     (select account_id, endpoint_id from webhook_delivery where state = 'pending'
      order by account_id, endpoint_id limit 1)
     union all
     select d.account_id, d.endpoint_id from waiting w cross join lateral (
       select account_id, endpoint_id from webhook_delivery
       where state = 'pending' and (account_id, endpoint_id) > (w.account_id, w.endpoint_id)
       order by account_id, endpoint_id limit 1
     ) d
   ), ${leaseSome('waiting w join webhook_endpoint e on e.account_id = w.account_id and e.id = w.endpoint_id')}`,
);

export const releaseEndpoint = statement<OfEndpoint & { lease: string }>(
  'webhook-release',
  `update webhook_endpoint set lease_until = service_now()
   where account_id = :accountId and id = :endpointId and lease_until = :lease`,
);

const LATE_SECONDS = 60;
/** Events of one such stretch are due together, at its end. */
const STRETCH_SECONDS = 30;

/** When delivery `d` of a test endpoint is due that is to be late, or out of order, by the clock of its account. */
const DUE_BY_FAULT = `(case :fault
       when 'LATE' then d.created_at + interval '${LATE_SECONDS} seconds'
       else to_timestamp(ceil(extract(epoch from d.created_at) / ${STRETCH_SECONDS}) * ${STRETCH_SECONDS}) end
       - make_interval(secs => ${movedSecondsOf('d.account_id', 'd.created_at')}))`;
const IS_FIRST_ATTEMPT = `d.attempts = 0 and d.type <> '${TEST_EVENT}'`;

/** Puts off the new deliveries of a test endpoint that are to be late, or out of order. */
export const postponeNew = statement<OfEndpoint & { fault: string }>(
  'webhook-delivery-postpone',
  `with wanted as (
     select d.created_at, d.event_id, ${DUE_BY_FAULT} as due
     from webhook_delivery d
     where d.account_id = :accountId and d.endpoint_id = :endpointId and d.state = 'pending'
       and d.next_attempt_at <= service_now() and ${IS_FIRST_ATTEMPT}
   )
   update webhook_delivery d set next_attempt_at = wanted.due from wanted
   where d.account_id = :accountId and d.endpoint_id = :endpointId and d.created_at = wanted.created_at
     and d.event_id = wanted.event_id and wanted.due > service_now()`,
);

export interface DueRow {
  created_at: string;
  event_id: string;
  type: EventType | typeof TEST_EVENT;
  attempts: number;
  livemode: boolean;
  /** `null` for a test, and for an event that is no longer kept. */
  version: number | null;
  data: Record<string, unknown> | null;
}

export type NextParams = OfEndpoint & { lease: string; max: number };

const next = (condition: string): string => `
   select d.created_at, d.event_id, d.type, d.attempts, not ${isTestAccount(':accountId')} as livemode, v.version, v.data
   from (
     select d.* from webhook_delivery d
     where d.account_id = :accountId and d.endpoint_id = :endpointId and d.state = 'pending'
       and d.next_attempt_at <= service_now() and ${condition}
       and exists (select from webhook_endpoint e where e.account_id = :accountId and e.id = :endpointId
         and e.lease_until = :lease and e.disabled_at is null)
     order by d.next_attempt_at, d.number limit :max
   ) d left join event v on v.account_id = d.account_id and v.created_at = d.created_at and v.id = d.event_id
   order by d.next_attempt_at, d.number`;

/** What is sent next, in order. The lease must still be held. */
export const nextDeliveries = statement<NextParams, DueRow>('webhook-delivery-next', next('true'));

/** The same for an endpoint whose deliveries `postponeNew` puts off, without those that came since it ran. */
export const nextPostponed = statement<NextParams & { fault: string }, DueRow>(
  'webhook-delivery-next-postponed',
  next(`(not (${IS_FIRST_ATTEMPT}) or ${DUE_BY_FAULT} <= service_now())`),
);

interface AttemptParams extends OfEndpoint {
  createdAt: string;
  eventId: string;
  attempts: number;
  attemptId: string;
  url: string;
  status: number | null;
  durationMs: number;
  answer: string;
}

const ATTEMPT = (error: string): string => `
  insert into webhook_attempt (account_id, endpoint_id, event_id, created_at, id, url, status, error, duration_ms, answer)
  values (:accountId, :endpointId, :eventId, service_now(), :attemptId, :url, :status::smallint, ${error}, :durationMs, :answer)`;
const THIS_DELIVERY = `account_id = :accountId and created_at = :createdAt and endpoint_id = :endpointId
  and event_id = :eventId and state = 'pending' and attempts = :attempts`;

/** Ends whatever failure the endpoint had, too. The endpoint's row comes first, as in a replay: two orders would deadlock. */
export const recordSuccess = statement<AttemptParams>(
  'webhook-attempt-success',
  `with attempt as (${ATTEMPT('null')}),
   endpoint as (
     update webhook_endpoint set failing_since = null, failures = 0
     where account_id = :accountId and id = :endpointId and url = :url and failing_since is not null
     returning 1
   )
   update webhook_delivery set state = 'succeeded', attempts = attempts + 1, next_attempt_at = null,
     last_status = :status, last_error = null
   where (select count(*) from endpoint) >= 0 and ${THIS_DELIVERY}`,
);

/**
 * Sets when the delivery and the endpoint are tried again, or gives them up. Returns the endpoint if this disabled it.
 *
 * @param retrySeconds of the delivery; `null` if this was the last attempt
 * @param wasSent `false` if nothing was sent, which says nothing about the endpoint
 */
export const recordFailure = statement<
  AttemptParams & {
    lease: string;
    error: string;
    retrySeconds: number | null;
    pauseSeconds: number;
    wasSent: boolean;
    isGone: boolean;
    maxFailingSeconds: number;
  },
  { url: string; disabled_reason: DisabledReason; disabled_at: string }
>(
  'webhook-attempt-failure',
  `with attempt as (${ATTEMPT(':error')}),
   delivery as (
     update webhook_delivery set attempts = attempts + 1, last_status = :status, last_error = :error,
       state = case when :retrySeconds::float8 is null then 'failed' else 'pending' end,
       next_attempt_at = service_now() + make_interval(secs => :retrySeconds::float8)
     where ${THIS_DELIVERY}
   ),
   ended as (
     select e.id, case when :isGone then 'gone'
         when e.failing_since <= service_now() - make_interval(secs => :maxFailingSeconds::float8) then 'failing' end as reason
     from webhook_endpoint e where e.account_id = :accountId and e.id = :endpointId for update
   ),
   endpoint as (
     update webhook_endpoint e set failures = e.failures + 1,
       failing_since = coalesce(e.failing_since, service_now()), last_failed_at = service_now(),
       paused_until = service_now() + make_interval(secs => :pauseSeconds::float8),
       disabled_reason = ended.reason,
       disabled_at = case when ended.reason is not null then service_now() end
     from ended
     where :wasSent and e.account_id = :accountId and e.id = :endpointId and e.url = :url and e.lease_until = :lease
       and e.disabled_at is null
     returning e.url, e.disabled_reason, e.disabled_at
   )
   select url, disabled_reason, disabled_at from endpoint where disabled_reason is not null`,
);

/** How far deliveries are behind that nothing holds up, and how many endpoints fail. */
export const DELIVERY_LAG = statement<NoParams, { lag_seconds: number; failing: number; disabled: number }>(
  'webhook-lag',
  `select coalesce(max(extract(epoch from service_now() - due.next_attempt_at)), 0)::float8 as lag_seconds,
     (count(*) filter (where e.failing_since is not null and e.disabled_at is null))::int as failing,
     (count(*) filter (where e.disabled_reason in ('gone', 'failing')))::int as disabled
   from webhook_endpoint e left join lateral (
     select d.next_attempt_at from webhook_delivery d
     where e.disabled_at is null and e.failing_since is null
       and d.account_id = e.account_id and d.endpoint_id = e.id and d.state = 'pending'
       and d.next_attempt_at <= service_now()
     order by d.next_attempt_at limit 1
   ) due on true`,
);
