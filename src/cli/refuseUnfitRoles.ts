import pg from 'pg';

import { ConfigError } from '../config/config.js';
import { lastingFaultLines } from '../db/databaseFaults.js';
import { migrationFaults } from '../db/migrationFaults.js';
import { PostgresDatabase } from '../db/database.js';
import { roleOf } from '../db/roleOf.js';
import type { DatabaseUrls } from './databaseAccess.js';

/**
 * Before production migrates: what would make the migrated database unfit to start on. So an upgrade that cannot end
 * well changes nothing.
 *
 * @throws ConfigError that says what to do.
 */
export async function refuseUnfitRoles({ migrationUrl, runtimeUrl }: DatabaseUrls): Promise<void> {
  const client = new pg.Client({ connectionString: migrationUrl });
  await client.connect();
  try {
    const faults = await migrationFaults(client, roleOf(runtimeUrl));
    if (faults.length > 0) {
      throw new ConfigError(
        `DATABASE_MIGRATION_URL: ${faults.join('; ')}. Nothing was changed. Hand the database over to an owner role first: docs/operations.md, "Hand over the database"`,
      );
    }
  } finally {
    await client.end();
  }
  const db = await PostgresDatabase.connect({ url: runtimeUrl, maxConnections: 1 });
  try {
    const [fault] = await lastingFaultLines(db.sql);
    if (fault) throw new ConfigError(`DATABASE_URL: ${fault} Nothing was changed.`);
  } finally {
    await db.close();
  }
}
