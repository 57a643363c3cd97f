import type { Config } from '../config/config.js';
import { migrate } from '../db/migrate.js';
import { installVirtualClock, setClockOffset } from '../db/virtualClock.js';
import type { Logger } from '../logger.js';
import { openDatabase, type DatabaseAccess } from './databaseAccess.js';
import { refuseUnfitRoles } from './refuseUnfitRoles.js';

/** `dhara migrate`. */
export async function runMigrate(config: Config, logger: Logger): Promise<number> {
  const database = await openDatabase(config, 'join', logger);
  try {
    await bringUpToDate(config, database);
  } finally {
    await database.close();
  }
  process.stdout.write('The database is up to date.\n');
  return 0;
}

/** Migrates, and moves the service's clock where a setting says so. */
export async function bringUpToDate(config: Config, database: DatabaseAccess): Promise<void> {
  if (config.NODE_ENV === 'production') await refuseUnfitRoles(database);
  await migrate(database);
  if (config.CLOCK_OFFSET_SECONDS !== 0) {
    await installVirtualClock(database.migrationUrl);
    await setClockOffset(database.migrationUrl, config.CLOCK_OFFSET_SECONDS * 1000);
  }
}
