import { execute, type Sql, statement } from '../../db/sql.js';
import { QUEUE_SCHEMA } from './queues.js';

/*
 * Start-time fair queueing. Each job has a place in the order of turns. The queue takes the lowest place first, and the
 * older job if two share one. pg-boss calls a negated place a priority.
 *
 * An account's own jobs are STRIDE apart, so that five hundred of them reach far back. The first job of a new or
 * returning account gets the place after what runs now: before the next job of every account that has one running.
 * Places after those of running jobs only grow, so nobody is overtaken forever.
 *
 * Jobs of test accounts share the last place, behind every live job, and are no part of the turns.
 */
const STRIDE = 2;
/**
 * The maximum of PostgreSQL's `integer`. Places begin again when the queue is empty, and grow by a few for each turn of
 * all accounts.
 */
const LAST_PLACE = 2_147_483_647;

interface QueueTurn {
  readonly queue: string;
  readonly accountId: string;
}

/** Keeps two jobs of one account from taking the same place. Released with the caller's transaction. */
const LOCK = statement<QueueTurn>(
  'queue-lock-turns',
  `select pg_advisory_xact_lock(hashtextextended('turns:' || :queue || ':' || :accountId, 0))`,
);

/** Both match pg-boss's partial indexes, which leave out finished jobs that wait for their deletion. */
const WAITING = `${QUEUE_SCHEMA}.job where name = :queue and state < 'active' and not blocked and priority > -${LAST_PLACE}`;
const RUNNING = `${QUEUE_SCHEMA}.job where name = :queue and state = 'active' and group_id is not null and priority > -${LAST_PLACE}`;

/**
 * The present is the place of the last running job. Between two jobs, it is just before the
 * first waiting one. A job that waits for a retry counts only if no other job waits; otherwise it would hold the
 * present back.
 */
const NEXT_PLACE = statement<QueueTurn, { place: string }>(
  // No name: PostgreSQL plans it each time, for as many jobs as wait then.
  '',
  `
  select case when exists (select from test_account t where t.account_id = (:accountId::text)::uuid) then ${LAST_PLACE} else least(
    greatest(
      ${STRIDE} - (select min(priority)::bigint from ${WAITING} and group_id = :accountId::text),
      ${STRIDE} - (select min(priority)::bigint from ${RUNNING} and group_id = :accountId::text),
      1 + coalesce(
        -(select min(priority)::bigint from ${RUNNING}),
        -1 - (select priority::bigint from ${WAITING} and state = 'created' order by priority desc limit 1),
        -1 - (select priority::bigint from ${WAITING} order by priority desc limit 1),
        0
      )
    ),
    ${LAST_PLACE - 1}
  ) end as place`,
);

/** The priority of an account's next job in a queue. */
export async function nextPriority(sql: Sql, queue: string, accountId: string): Promise<number> {
  await execute(sql, LOCK, { queue, accountId });
  const [next] = await execute(sql, NEXT_PLACE, { queue, accountId });
  return -Number(next?.place ?? 0);
}
