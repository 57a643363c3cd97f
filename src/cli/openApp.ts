import { createApp, type App } from '../app.js';
import type { Role } from '../app/options.js';
import { publicUrlOf, type Config } from '../config/config.js';
import type { Logger } from '../logger.js';
import type { DatabaseUrls } from './databaseAccess.js';
import { loadMasterKey } from './masterKey.js';
import { refuseUnfitDatabase } from './refuseUnfitDatabase.js';

/**
 * Constructs the app on an open database. Its owner stops it.
 *
 * @throws ConfigError if the database is not up to date, or production would refuse it
 */
export async function openApp(role: Role, config: Config, database: DatabaseUrls, logger: Logger): Promise<App> {
  await refuseUnfitDatabase(database, config, logger);
  return createApp({
    role,
    config,
    masterKey: await loadMasterKey(config),
    runtimeUrl: database.runtimeUrl,
    publicUrl: publicUrlOf(config),
    logger,
  });
}
