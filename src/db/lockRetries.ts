import { setTimeout as delay } from 'node:timers/promises';

import pg from 'pg';

import { connectionTo } from './connection.js';
import { type Blocker, describeWait, MigrationBlockedError } from './migrationErrors.js';
import { execute, sqlOn, statement } from './sql.js';

/**
 * How long a migration waits for locks. While it waits for a table, every later statement on it waits behind it, so it
 * waits briefly, lets them pass, and tries again.
 */
export interface LockRetries {
  readonly lockTimeoutMs: number;
  readonly attempts: number;
  /** Doubles after each attempt, up to `maxPauseMs`. */
  readonly firstPauseMs: number;
  readonly maxPauseMs: number;
}

/** Gives up after about four minutes. */
export const LOCK_RETRIES: LockRetries = {
  lockTimeoutMs: 2000,
  attempts: 20,
  firstPauseMs: 500,
  maxPauseMs: 15_000,
};

/** lock_not_available and deadlock_detected: the transaction was rolled back and can be tried again. */
const LOCK_FAULTS = new Set(['55P03', '40P01']);

const BLOCKER = statement<{ application: string }, Blocker>(
  'migration-blocker',
  `
  select b.pid, a.usename as role, nullif(a.application_name, '') as application, a.state,
    extract(epoch from clock_timestamp() - a.xact_start)::float8 as "openSeconds", left(a.query, 200) as query,
    (select string_agg(distinct l.relation::regclass::text, ', ') from pg_locks l
      where l.pid = w.pid and not l.granted and l.relation is not null) as tables
  from pg_stat_activity w cross join unnest(pg_blocking_pids(w.pid)) b(pid) left join pg_stat_activity a on a.pid = b.pid
  where w.datname = current_database() and w.application_name = :application and w.wait_event_type = 'Lock'
  order by a.xact_start nulls last limit 1`,
);

interface RetryOptions {
  readonly retries: LockRetries;
  /** Of any role that may look at the sessions of `application`. */
  readonly url: string;
  /** The application name of the sessions that run the step. */
  readonly application: string;
  /** Called with a line about each attempt that did not get its locks. */
  readonly waiting: (line: string) => void;
}

/**
 * Runs a step again while a lock is missing.
 *
 * @param work rolls back when it fails, and can be repeated
 * @throws MigrationBlockedError that names the session in the way
 */
export async function withLockRetries<T>(step: string, work: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { retries, url, application, waiting } = options;
  let pauseMs = retries.firstPauseMs;
  for (let attempt = 1; ; attempt++) {
    const watch = new BlockerWatch(url, application, retries.lockTimeoutMs / 5);
    try {
      return await work();
    } catch (error) {
      if (!isLockFault(error)) throw error;
      const blocker = await watch.end();
      if (attempt >= retries.attempts) throw new MigrationBlockedError(step, blocker, attempt, { cause: error });
      waiting(
        `${step} ${describeWait(blocker)}. Attempt ${attempt + 1} of ${retries.attempts} in ${pauseMs / 1000} s.`,
      );
      await delay(pauseMs);
      pauseMs = Math.min(pauseMs * 2, retries.maxPauseMs);
    } finally {
      await watch.end();
    }
  }
}

function isLockFault(error: unknown): boolean {
  return error instanceof pg.DatabaseError && LOCK_FAULTS.has(error.code ?? '');
}

/** Looks at who blocks the sessions of an application. A step that is over soon costs no connection. */
class BlockerWatch {
  readonly #ending = new AbortController();
  readonly #ended: Promise<void>;
  #latest: Blocker | null = null;

  constructor(url: string, application: string, everyMs: number) {
    // A migration must not fail because it could not be watched.
    this.#ended = this.#watch(url, application, everyMs).catch(() => undefined);
  }

  /** Who was seen last. */
  async end(): Promise<Blocker | null> {
    this.#ending.abort();
    await this.#ended;
    return this.#latest;
  }

  async #watch(url: string, application: string, everyMs: number): Promise<void> {
    const { signal } = this.#ending;
    await delay(everyMs, undefined, { signal });
    const client = new pg.Client(connectionTo(url));
    client.on('error', () => undefined);
    try {
      await client.connect();
      for (;;) {
        const [blocker] = await execute(sqlOn(client), BLOCKER, { application });
        this.#latest = blocker ?? this.#latest;
        await delay(everyMs, undefined, { signal });
      }
    } finally {
      await client.end();
    }
  }
}
