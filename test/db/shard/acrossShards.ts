import { execute, type Sql } from '../../../src/db/sql.js';
import { WINDOW_HOURS } from '../../../src/domain/ledger/referralTerms.js';
import { deliverRow } from '../../../src/domain/payments/referrals/delivery.js';
import type { Outcome } from '../../../src/domain/payments/referrals/referral.sql.js';
import { DELIVERED, NEXT_TO_DELIVER } from '../../../src/domain/payments/referrals/referral.sql.js';
import type { Shard } from './shards.js';

/**
 * Delivers what is due in the outbox of one database to referrers in another: the only thing that crosses shards.
 *
 * The referrer's side commits first. If the process dies before the row is marked, the row is delivered again, and the
 * referrer's postings are made once per key.
 * @param diesBeforeMarking simulates a process that dies at the worst moment.
 */
export async function deliverAcross(from: Shard, to: Shard, diesBeforeMarking = false): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (;;) {
    const outcome = await from.db.transaction(async ({ sql: here }) => {
      const [row] = await execute(here, NEXT_TO_DELIVER, { windowHours: WINDOW_HOURS });
      if (!row) return null;
      const done = await to.db.transaction(({ sql: there }) => deliverRow(routed(here, there), row));
      if (diesBeforeMarking) throw new Error('gone');
      return done;
    });
    if (outcome === null) return outcomes;
    outcomes.push(outcome);
  }
}

/** The outbox row is the invitee's; everything else in a delivery is the referrer's. */
function routed(here: Sql, there: Sql): Sql {
  return {
    query: <Row extends object>(...[statement, values]: Parameters<Sql['query']>) =>
      (statement.name === DELIVERED.name ? here : there).query<Row>(statement, values),
  };
}
