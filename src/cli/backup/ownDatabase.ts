import pg from 'pg';

import { dumpDatabase, restoreDump, type PgToolsOptions } from '../../adapters/backup/pgTools.js';
import type { Config } from '../../config/config.js';
import { connectionTo } from '../../db/connection.js';
import { withoutPassword } from '../../db/databaseAddress.js';
import { execute, type NoParams, sqlOn, statement } from '../../db/sql.js';

const VERSION = statement<NoParams, { version: string }>(
  'backup-server-version',
  `select current_setting('server_version_num') as version`,
);

/** Writes the database to a file. @throws BackupError */
export async function dumpOwnDatabase(config: Config, file: string): Promise<void> {
  await dumpDatabase(await pgToolsOf(config), file);
}

/** Restores all of it, or nothing. @throws BackupError */
export async function restoreOwnDatabase(config: Config, file: string): Promise<void> {
  await restoreDump(await pgToolsOf(config), file);
}

/** Whether nothing was ever created in the database that the owner's address names. */
export function isEmptyDatabase(config: Config): Promise<boolean> {
  return asOwner(config, async (client) => {
    const { rowCount } = await client.query(
      `select from pg_class where relnamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
         and relnamespace::regnamespace::text !~ '^pg_' limit 1`,
    );
    return rowCount === 0;
  });
}

/** For the programs of PostgreSQL that fit the server. */
async function pgToolsOf(config: Config): Promise<PgToolsOptions> {
  const versionNumber = await asOwner(config, async (client) => {
    const [server] = await execute(sqlOn(client), VERSION);
    return Number(server!.version);
  });
  const { address: url, password } = withoutPassword(ownerUrlOf(config));
  return { url, password, serverMajor: Math.floor(versionNumber / 10_000), searchPath: config.PATH };
}

function ownerUrlOf(config: Config): string {
  return config.DATABASE_MIGRATION_URL ?? config.DATABASE_URL!;
}

async function asOwner<T>(config: Config, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(connectionTo(ownerUrlOf(config)));
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
