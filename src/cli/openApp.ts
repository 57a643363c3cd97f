import { createApp, type App } from '../app.js';
import type { Role } from '../app/options.js';
import { ConfigError, publicUrlOf, type Config } from '../config/config.js';
import { connectionTo } from '../db/connection.js';
import { PostgresDatabase } from '../db/database.js';
import { databaseFaults, lastingFaultLines } from '../db/databaseFaults.js';
import { pendingMigrations } from '../db/pendingMigrations.js';
import { impatientClient } from '../db/serverReport.js';
import { sqlOn } from '../db/sql.js';
import type { Logger } from '../logger.js';
import type { DatabaseUrls } from './databaseAccess.js';
import { loadMasterKey } from './masterKey.js';

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

/**
 * Runs before anything reads a table that may not exist. In production, refuses a role of the service, also of its
 * replica, that could rewrite the books or give itself more rights, and a clock that was moved; elsewhere, warns about them.
 *
 * @throws ConfigError that names what to run
 */
export async function refuseUnfitDatabase({ runtimeUrl }: DatabaseUrls, config: Config, logger: Logger): Promise<void> {
  const db = await PostgresDatabase.connect({ url: runtimeUrl, maxConnections: 1 });
  try {
    const pending = await pendingMigrations(db.sql);
    if (pending.length > 0) {
      const range = `${pending.length} to go, up to ${pending.at(-1)}`;
      throw new ConfigError(`The database is not up to date (${range}). Run: dhara migrate`);
    }
    for (const fault of await databaseFaults(db.sql)) {
      if (config.NODE_ENV === 'production') throw new ConfigError(`DATABASE_URL: ${fault}`);
      logger.warn(`DATABASE_URL, which production would refuse: ${fault}`);
    }
  } finally {
    await db.close();
  }
  if (config.DATABASE_READ_URL !== undefined) await refuseUnfitReadRole(config.DATABASE_READ_URL, config, logger);
}

/** A replica that does not answer now is asked again before it is read (`refusesUnfitRole` of `ReadReplica`). */
async function refuseUnfitReadRole(url: string, config: Config, logger: Logger): Promise<void> {
  const client = impatientClient(connectionTo(url));
  try {
    await client.connect();
    for (const fault of await lastingFaultLines(sqlOn(client))) {
      if (config.NODE_ENV === 'production') throw new ConfigError(`DATABASE_READ_URL: ${fault}`);
      logger.warn(`DATABASE_READ_URL, which production would refuse: ${fault}`);
    }
  } catch (error) {
    if (error instanceof ConfigError) throw error;
  } finally {
    void client.end().catch(() => undefined);
  }
}
