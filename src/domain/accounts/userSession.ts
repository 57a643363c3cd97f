import { execute, type NoParams, type Sql, statement } from '../../db/sql.js';

/** A session of a user. Only the browser that signed in knows its token. */
export interface UserSession {
  readonly id: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** Where it began; null if unknown. */
  readonly ipAddress: string | null;
  /** The browser's user agent; null if it sent none. */
  readonly userAgent: string | null;
}

/** A session as the database returns it. */
export interface SessionRow {
  id: string;
  created_at: string;
  expires_at: string;
  ip_address: string | null;
  user_agent: string | null;
}

export function userSession(row: SessionRow): UserSession {
  return {
    id: row.id,
    createdAt: new Date(row.created_at),
    expiresAt: new Date(row.expires_at),
    ipAddress: row.ip_address || null,
    userAgent: row.user_agent || null,
  };
}

const BATCH = 5_000;
/** The rest waits for the next run, in a quarter of an hour. */
export const MOST_SESSIONS_PER_RUN = 20 * BATCH;

const FORGET = statement<NoParams, { removed: number }>(
  'account-forget-sessions',
  `
    with gone as (
      delete from auth.session where ctid = any (array(
        select ctid from auth.session where "expiresAt" < now() order by "expiresAt" limit ${BATCH}))
      returning 1
    )
    select count(*)::int as removed from gone`,
);

/**
 * Deletes sessions that have expired, in batches. They name the network and the browser of somebody who may never sign in
 * again. @returns how many
 */
export async function forgetExpiredSessions(sql: Sql, signal?: AbortSignal): Promise<number> {
  let count = 0;
  for (let removed = BATCH; removed === BATCH && count < MOST_SESSIONS_PER_RUN; count += removed) {
    signal?.throwIfAborted();
    const [row] = await execute(sql, FORGET);
    removed = row!.removed;
  }
  return count;
}
