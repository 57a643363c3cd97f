import { setTimeout as delay } from 'node:timers/promises';

import pg from 'pg';

import type { DatabaseServer, Wanted } from './databaseAddress.js';
import { execute, type NoParams, sqlOn, statement } from './sql.js';

/** How long a server has to say what it is. */
const ANSWER_MS = 2000;
const WATCH_EVERY_MS = 1000;

interface ServerState {
  readonly isStandby: boolean;
  readonly isReadOnly: boolean;
}

const STATE = statement<NoParams, ServerState>(
  'server-state',
  `select pg_is_in_recovery() as "isStandby", current_setting('transaction_read_only') = 'on' as "isReadOnly"`,
);

/** What a server said that it is, or why it did not. */
export type Report = ServerState | Error;

const FITS: Record<Wanted, (state: ServerState) => boolean> = {
  any: () => true,
  'read-write': ({ isReadOnly }) => !isReadOnly,
  'read-only': ({ isReadOnly }) => isReadOnly,
  primary: ({ isStandby }) => !isStandby,
  standby: ({ isStandby }) => isStandby,
  'prefer-standby': ({ isStandby }) => isStandby,
};

export function fits(report: Report, wanted: Wanted): boolean {
  return !(report instanceof Error) && FITS[wanted](report);
}

/** Whether connections to it are useless. A server that refuses a new connection still serves those that it has. */
export function isGone(report: Report, wanted: Wanted): boolean {
  return !(report instanceof pg.DatabaseError) && !fits(report, wanted);
}

export function describeReport(server: DatabaseServer, report: Report): string {
  if (report instanceof Error) return `${nameOf(server)}: ${report.message}`;
  return `${nameOf(server)} is ${report.isStandby ? 'a standby' : report.isReadOnly ? 'read-only' : 'a primary'}`;
}

export function nameOf({ host, port }: DatabaseServer): string {
  return `${host}:${port}`;
}

/** Asks a server, on its own connection, what it is. */
export async function askServer(server: DatabaseServer): Promise<Report> {
  const client = watchClientOf(server);
  try {
    await client.connect();
    const [state] = await execute(sqlOn(client), STATE);
    return state!;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  } finally {
    void client.end().catch(() => undefined);
  }
}

/** Asks a server every second, on one connection. Resolves once it does not fit, is silent or lost, or is not used. */
export async function watchServer(server: DatabaseServer, wanted: Wanted, isUsed: () => boolean): Promise<void> {
  const client = watchClientOf(server);
  const lost = new AbortController();
  client.on('end', () => lost.abort());
  try {
    await client.connect();
    // Watching alone does not keep the process running.
    (client as pg.Client & { unref(): void }).unref();
    while (isUsed()) {
      const [state] = await execute(sqlOn(client), STATE);
      // `prefer-standby` also uses a server that does not fit, if there is no standby.
      if (wanted !== 'prefer-standby' && !fits(state!, wanted)) return;
      // A signal, because each `Promise.race` with one long-lived promise would leave a handler there until the end.
      await delay(WATCH_EVERY_MS, undefined, { signal: lost.signal, ref: false }).catch(() => undefined);
    }
  } catch {
    // Lost or silent: the caller asks all servers again.
  } finally {
    void client.end().catch(() => undefined);
  }
}

function watchClientOf({ url }: DatabaseServer): pg.Client {
  return impatientClient({ connectionString: url, application_name: 'dhara-watch' });
}

/** A client that soon gives up on a server that does not answer. */
export function impatientClient(config: pg.ClientConfig): pg.Client {
  const client = new pg.Client({
    ...config,
    connectionTimeoutMillis: ANSWER_MS,
    query_timeout: ANSWER_MS,
    keepAlive: true,
  });
  // The next statement fails.
  client.on('error', () => undefined);
  return client;
}
