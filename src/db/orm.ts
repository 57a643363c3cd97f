import { Migrator } from '@mikro-orm/migrations';
import { defineConfig, type Options } from '@mikro-orm/postgresql';
import type pg from 'pg';

import { connectionTo } from './connection.js';
import { entities } from './entities.js';
import { migrations } from './migrations/index.js';
import { PooledClient } from './pooledClient.js';

export interface OrmOptions {
  url: string;
  maxConnections: number;
  /** How long to wait for a connection, whether it is in use or has to be opened. Default 5,000. */
  connectTimeoutMs?: number;
  /** A statement that runs longer is cancelled; 0 for no limit. Default 30,000. */
  statementTimeoutMs?: number;
  /** A connection whose server has not answered a statement by then is dropped; for servers that may fall silent. */
  silenceMs?: number;
  /** Asked about each new connection. One that it rejects is not used, and who wanted it gets the error. */
  onConnect?: (client: pg.ClientBase) => Promise<void>;
  /** A transaction that is idle longer is ended; 0 for no limit. Default 60,000. */
  idleInTransactionTimeoutMs?: number;
  /** Receives MikroORM's own messages, such as a lost connection. None by default. */
  log?: (message: string) => void;
}

/** MikroORM's options for one database. Sessions run in UTC and cancel statements that hang. */
export function ormOptions(options: OrmOptions): Options {
  const { connectTimeoutMs = 5_000, statementTimeoutMs = 30_000, idleInTransactionTimeoutMs = 60_000 } = options;
  const connection = connectionTo(options.url, {
    timezone: 'UTC',
    statement_timeout: String(statementTimeoutMs),
    idle_in_transaction_session_timeout: String(idleInTransactionTimeoutMs),
  });
  return defineConfig({
    clientUrl: connection.connectionString,
    entities,
    extensions: [Migrator],
    forceUtcTimezone: true,
    logger: options.log ?? (() => undefined),
    colors: false,
    pool: { min: 0, max: options.maxConnections },
    driverOptions: {
      Client: PooledClient,
      // MikroORM parses an address and drops its query string, such as `sslmode`.
      ...connection,
      connectionTimeoutMillis: connectTimeoutMs,
      ...(options.silenceMs !== undefined && { query_timeout: options.silenceMs }),
      ...(options.onConnect && { onConnect: options.onConnect }),
      keepAlive: true,
    },
    migrations: {
      migrationsList: migrations,
      snapshot: false,
      snapshotName: '.snapshot',
      transactional: true,
    },
    schemaGenerator: { ignoreSchema: ['auth', 'pgboss'] },
  });
}
