/**
 * PostgreSQL from an npm package, run as a child of this process.
 *
 * For a single machine. Set `DATABASE_URL` to use your own server instead.
 */
import { resolve } from 'node:path';

import type { Logger } from 'pino';

import { finishRestore } from './backup/finishRestore.js';
import { installedPackage, postgresBinaries } from './binaries.js';
import { DATABASE, OWNER_ROLE, RUNTIME_ROLE, SUPERUSER_ROLE, ensureCluster } from './cluster.js';
import { openHome } from './home.js';
import { stopOrphan } from './orphan.js';
import { findFreePort } from './port.js';
import { ensureRolesAndDatabase } from './roles.js';
import { PostgresServer } from './server.js';
import type { ServerOptions } from './server.js';
import { Supervisor } from './supervisor.js';

export { DataDirLockedError, EmbeddedPostgresError } from './errors.js';
export { acquireDataDirLock } from './lock.js';
export type { DataDirLock } from './lock.js';

export interface EmbeddedPostgresOptions {
  /** The service's data directory; the database lives in `postgres` below it. */
  readonly dataDir: string;
  /** Port on 127.0.0.1. By default a free port, chosen at each start. */
  readonly port?: number;
  /** False trades safety against power failures for speed, for tests. Default true. */
  readonly durable?: boolean;
  readonly log: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;
}

export interface EmbeddedPostgres {
  /** Database `dhara` as the role that owns it, for migrations. */
  readonly migrationUrl: string;
  /** Database `dhara` as the role of the running service, which owns nothing. */
  readonly runtimeUrl: string;
  /** Database `postgres` as the superuser, for setup and tests. */
  readonly superuserUrl: string;
  readonly port: number;
  /** Process id of the server, 0 while it is down. Changes after each crash. */
  pid(): number;
  /** Shuts down cleanly. Close the connection pools first. */
  stop(): Promise<void>;
}

const START_TRIES = 6;

/**
 * Starts the database of `dataDir`, creating it on the first start, and keeps it running.
 *
 * Hold the lock of the data directory (`acquireDataDirLock`) from before this call until the database is stopped: any
 * other server of this cluster is treated as an orphan of an earlier run and stopped.
 *
 * @throws EmbeddedPostgresError with one line that says what to do
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { log } = options;
  // Check this first, so that an unsupported platform gets this error and no other.
  await installedPackage();
  const dataDir = resolve(options.dataDir);
  const home = await openHome(dataDir);
  await finishRestore(home, dataDir);
  const binaries = await postgresBinaries(home.user);
  const passwords = await ensureCluster(home, binaries);
  await stopOrphan(home.clusterDir, log);

  const { supervisor, port } = await startOnFreePort(options, (chosenPort) => ({
    program: binaries.postgres,
    clusterDir: home.clusterDir,
    args: serverArgs(home.clusterDir, chosenPort, options.durable ?? true),
    user: home.user,
    log,
  }));

  const urlFor = (role: string, password: string, database: string): string =>
    `postgresql://${role}:${password}@127.0.0.1:${port}/${database}`;
  const superuserUrl = urlFor(SUPERUSER_ROLE, passwords.migration, 'postgres');
  try {
    await ensureRolesAndDatabase(superuserUrl, passwords);
  } catch (error) {
    await supervisor.stop();
    throw error;
  }
  log.debug({ port, pid: supervisor.pid, clusterDir: home.clusterDir }, 'embedded PostgreSQL is ready');
  return {
    migrationUrl: urlFor(OWNER_ROLE, passwords.owner, DATABASE),
    runtimeUrl: urlFor(RUNTIME_ROLE, passwords.runtime, DATABASE),
    superuserUrl,
    port,
    pid: () => supervisor.pid,
    stop: () => supervisor.stop(),
  };
}

/**
 * Tries a few times, each time with a new port. Another process may take the port in between, and the last children of
 * a killed server may still hold its shared memory.
 */
async function startOnFreePort(
  options: EmbeddedPostgresOptions,
  serverOptionsFor: (port: number) => ServerOptions,
): Promise<{ supervisor: Supervisor; port: number }> {
  for (let tries = 1; ; tries++) {
    const port = options.port ?? (await findFreePort());
    const serverOptions = serverOptionsFor(port);
    try {
      const server = await PostgresServer.start(serverOptions);
      return { supervisor: new Supervisor(server, serverOptions), port };
    } catch (error) {
      if (tries === START_TRIES) throw error;
      await new Promise((wake) => setTimeout(wake, 50 * 2 ** tries));
    }
  }
}

/** Settings are passed on the command line, so that a newer release changes them for existing clusters too. */
function serverArgs(clusterDir: string, port: number, durable: boolean): string[] {
  const onOff = durable ? 'on' : 'off';
  const settings: Record<string, string> = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    max_connections: '200',
    shared_buffers: '128MB',
    timezone: 'UTC',
    log_timezone: 'UTC',
    fsync: onOff,
    synchronous_commit: onOff,
    full_page_writes: onOff,
    log_destination: 'stderr',
    log_line_prefix: '',
    log_checkpoints: 'off',
    // Log only the server's own problems. A failed statement concerns its caller, and its text may hold data that must
    // not be logged.
    log_min_messages: 'log',
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
  };
  return ['-D', clusterDir, ...Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`])];
}
