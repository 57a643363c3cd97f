import { statement } from '../../../db/sql.js';

interface Passed {
  accountId: string;
  /** That pass in a test account. */
  seconds: number;
}

const PASSED = 'make_interval(secs => :seconds::float8)';

/** An endpoint that failed is asked sooner, and has failed for longer. */
export const hastenEndpoints = statement<Passed>(
  'webhook-endpoint-hasten',
  `update webhook_endpoint set paused_until = paused_until - ${PASSED}, failing_since = failing_since - ${PASSED}
   where account_id = :accountId and (paused_until > service_now() or failing_since is not null)`,
);

/**
 * A delivery is due now at the earliest: how long ago it was due is how late operators see it. All of them are due at the
 * same moment, and are then sent in the order of their numbers.
 */
export const hastenDeliveries = statement<Passed>(
  'webhook-delivery-hasten',
  `update webhook_delivery set next_attempt_at = greatest(next_attempt_at - ${PASSED}, at.now)
   from (select service_now() as now offset 0) at
   where account_id = :accountId and state = 'pending' and next_attempt_at > at.now`,
);

/** The old one of two secrets ends sooner. */
export const hastenSecrets = statement<Passed>(
  'webhook-secret-hasten',
  `update webhook_secret set ends_at = ends_at - ${PASSED}
   where account_id = :accountId and ends_at > service_now()`,
);
