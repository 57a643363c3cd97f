import { defineConfig, type Options } from '@mikro-orm/postgresql';
import { Migrator } from '@mikro-orm/migrations';

import { entities } from './entities.js';
import { migrations } from './migrations/index.js';

/** MikroORM's options for one database. Sessions run in UTC and give up on a statement that hangs. */
export function ormOptions(options: { url: string; maxConnections: number }): Options {
  return defineConfig({
    clientUrl: options.url,
    entities,
    extensions: [Migrator],
    // Entities are written for tables that migrations made; the schema is never diffed at run time.
    discovery: { checkDuplicateTableNames: false },
    forceUtcTimezone: true,
    pool: { min: 0, max: options.maxConnections },
    driverOptions: {
      options: '-c timezone=UTC -c statement_timeout=30000 -c idle_in_transaction_session_timeout=60000',
      connectionTimeoutMillis: 5000,
      keepAlive: true,
    },
    migrations: { migrationsList: migrations, snapshot: false, snapshotName: '.snapshot', transactional: true },
    schemaGenerator: { ignoreSchema: ['auth', 'pgboss'] },
  });
}
