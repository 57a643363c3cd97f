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

export const hastenDeliveries = statement<Passed>(
  'webhook-delivery-hasten',
  `update webhook_delivery set next_attempt_at = next_attempt_at - ${PASSED}
   where account_id = :accountId and state = 'pending' and next_attempt_at > service_now()`,
);

/** The old one of two secrets ends sooner. */
export const hastenSecrets = statement<Passed>(
  'webhook-secret-hasten',
  `update webhook_secret set ends_at = ends_at - ${PASSED}
   where account_id = :accountId and ends_at > service_now()`,
);
