import { statement } from '../../../db/sql.js';

interface Passed {
  accountId: string;
  /** By how much the clock of the test account moves. */
  seconds: number;
}

const PASSED = 'make_interval(secs => :seconds::float8)';

/**
 * A failing endpoint gets its next attempt sooner, and counts as failing for longer. If a delivery waits for its next
 * attempt, the endpoint counts as tried all that time; otherwise, as not tried.
 */
export const hastenEndpoints = statement<Passed>(
  'webhook-endpoint-hasten',
  `update webhook_endpoint e set paused_until = e.paused_until - ${PASSED}, failing_since = e.failing_since - ${PASSED},
     last_failed_at = case when exists (
       select from webhook_delivery d where d.account_id = e.account_id and d.endpoint_id = e.id
         and d.state = 'pending' and d.attempts > 0
     ) then e.last_failed_at else e.last_failed_at - ${PASSED} end
   where e.account_id = :accountId and (e.paused_until > service_now() or e.failing_since is not null)`,
);

/**
 * A waiting delivery is due sooner, but never in the past: operators would see it as late. Deliveries that are due at the
 * same moment are sent in the order of their numbers.
 */
export const hastenDeliveries = statement<Passed>(
  'webhook-delivery-hasten',
  `update webhook_delivery set next_attempt_at = greatest(next_attempt_at - ${PASSED}, at.now)
   from (select service_now() as now offset 0) at
   where account_id = :accountId and state = 'pending' and next_attempt_at > at.now`,
);

/** A secret that was replaced ends sooner. */
export const hastenSecrets = statement<Passed>(
  'webhook-secret-hasten',
  `update webhook_secret set ends_at = ends_at - ${PASSED}
   where account_id = :accountId and ends_at > service_now()`,
);
