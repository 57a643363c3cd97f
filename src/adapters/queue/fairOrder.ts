import type { Sql } from '../../db/sql.js';
import { QUEUE_SCHEMA } from './queues.js';

/*
 * Whose turn it is: start-time fair queueing. Each job has a place in an order of turns, and the queue takes the lowest
 * place first, the older job where two share one; pg-boss calls a place turned round a priority.
 *
 * An account's own jobs stand STRIDE apart, so that five hundred of them reach far back. One that comes anew stands one
 * place behind what runs now: before the next job of everyone who has one running. Places behind those that run only
 * ever grow, so that nobody is overtaken for ever.
 */
const STRIDE = 2;
/** PostgreSQL's `integer`. Places begin again when nothing is left to do, and grow by a few for each turn of everyone. */
const LAST_PLACE = 2_147_483_647;

/** Two jobs of one account do not take the same place. Released with the caller's transaction. */
const LOCK = `select pg_advisory_xact_lock(hashtextextended('turns:' || $1 || ':' || $2, 0))`;

/** Both as pg-boss's partial indexes have them, which keep what is done and waits for its deletion out of the way. */
const WAITING = `${QUEUE_SCHEMA}.job where name = $1 and state < 'active' and not blocked`;
const RUNNING = `${QUEUE_SCHEMA}.job where name = $1 and state = 'active' and group_id is not null`;

/**
 * `$1 queue, $2 account`. The present is where the last of those stands that run. Between two jobs it is just before the
 * first that waits; one that waits to be tried again counts only where no other does, lest it hold the present back.
 */
const NEXT_PLACE = `
  select least(
    greatest(
      ${STRIDE} - (select min(priority)::bigint from ${WAITING} and group_id = $2),
      ${STRIDE} - (select min(priority)::bigint from ${RUNNING} and group_id = $2),
      1 + coalesce(
        -(select min(priority)::bigint from ${RUNNING}),
        -1 - (select priority::bigint from ${WAITING} and state = 'created' order by priority desc limit 1),
        -1 - (select priority::bigint from ${WAITING} order by priority desc limit 1),
        0
      )
    ),
    ${LAST_PLACE}
  ) as place`;

/** The priority of an account's next job in a queue. */
export async function nextPriority(sql: Sql, queue: string, accountId: string): Promise<number> {
  await sql.query({ name: '', text: LOCK }, [queue, accountId]);
  const [next] = await sql.query<{ place: string }>({ name: '', text: NEXT_PLACE }, [queue, accountId]);
  return -Number(next?.place ?? 0);
}
