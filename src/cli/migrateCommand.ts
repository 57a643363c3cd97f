import { roleOf } from '../db/roleOf.js';
import { PostgresDatabase } from '../db/database.js';
import { migrationFaults } from '../db/migrationFaults.js';
import { lastingFaultLines } from '../db/databaseFaults.js';
import pg from 'pg';
import { type Config, ConfigError } from '../config/config.js';
import { migrate } from '../db/migrate.js';
import { installVirtualClock, setClockOffset } from '../db/virtualClock.js';
import type { Logger } from '../logger.js';
import { openDatabase, type DatabaseAccess, type DatabaseUrls } from './databaseAccess.js';
import { printer, type Terminal } from './terminal.js';

export async function runMigrate(config: Config, logger: Logger, terminal: Terminal): Promise<number> {
  const database = await openDatabase(config, 'join', logger);
  try {
    await bringUpToDate(config, database);
  } finally {
    await database.close();
  }
  printer(terminal)('The database is up to date.');
  return 0;
}

/** Migrates, and moves the service clock if a setting says so. */
export async function bringUpToDate(config: Config, database: DatabaseAccess): Promise<void> {
  const production = config.NODE_ENV === 'production';
  if (production) await refuseUnfitRoles(database);
  await migrate({ migrationUrl: database.migrationUrl, runtimeUrl: database.runtimeUrl, production });
  if (config.CLOCK_OFFSET_SECONDS !== 0) {
    await installVirtualClock(database.migrationUrl);
    await setClockOffset(database.migrationUrl, config.CLOCK_OFFSET_SECONDS * 1000);
  }
}

/**
 * Before production migrates, refuses roles that would make the migrated database unfit to start on. So an upgrade that
 * would fail changes nothing.
 *
 * @throws ConfigError that says what to do
 */
async function refuseUnfitRoles({ migrationUrl, runtimeUrl }: DatabaseUrls): Promise<void> {
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
