import { Migrator } from '@mikro-orm/migrations';
import { defineConfig, type Options } from '@mikro-orm/postgresql';

import { entities } from './entities.js';
import { migrations } from './migrations/index.js';
import { PooledClient } from './pooledClient.js';

export interface OrmOptions {
  url: string;
  maxConnections: number;
  /** A statement that runs for longer is given up; 0 for never. Default 30,000. */
  statementTimeoutMs?: number;
  /** A transaction that says nothing for as long is ended; 0 for never. Default 60,000. */
  idleInTransactionTimeoutMs?: number;
  /** Where MikroORM's own remarks go, such as a lost connection. Nowhere by default. */
  log?: (message: string) => void;
}

/** MikroORM's options for one database. Sessions run in UTC and give up on a statement that hangs. */
export function ormOptions(options: OrmOptions): Options {
  const { statementTimeoutMs = 30_000, idleInTransactionTimeoutMs = 60_000 } = options;
  return defineConfig({
    clientUrl: options.url,
    entities,
    extensions: [Migrator],
    forceUtcTimezone: true,
    logger: options.log ?? (() => undefined),
    colors: false,
    pool: { min: 0, max: options.maxConnections },
    driverOptions: {
      Client: PooledClient,
      // MikroORM takes an address apart and drops what follows the question mark, such as `sslmode`.
      connectionString: options.url,
      options: Object.entries({
        timezone: 'UTC',
        statement_timeout: statementTimeoutMs,
        idle_in_transaction_session_timeout: idleInTransactionTimeoutMs,
      })
        .map(([name, value]) => `-c ${name}=${value}`)
        .join(' '),
      connectionTimeoutMillis: 5000,
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
