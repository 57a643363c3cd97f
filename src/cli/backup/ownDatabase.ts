import pg from 'pg';

import { restoreDump, type PgToolsOptions } from '../../adapters/backup/pgTools.js';
import type { Config } from '../../config/config.js';
import type { NoParams, Sql } from '../../db/sql.js';
import { execute, statement } from '../../db/sql.js';

const VERSION = statement<NoParams, { version: number }>(
  'backup-server-version',
  `select current_setting('server_version_num')::int as version`,
);

/** For the programs of PostgreSQL that fit the server. */
export async function pgToolsOf(sql: Sql, url: string, config: Config): Promise<PgToolsOptions> {
  const [row] = await execute(sql, VERSION);
  return { url, serverMajor: majorOf(row!.version), searchPath: config.PATH };
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

/** Restores all of it, or nothing. @throws BackupError */
export async function restoreOwnDatabase(config: Config, file: string): Promise<void> {
  const version = await asOwner(config, async (client) => {
    const { rows } = await client.query<{ version: string }>(`select current_setting('server_version_num') as version`);
    return Number(rows[0]!.version);
  });
  await restoreDump({ url: ownerUrlOf(config), serverMajor: majorOf(version), searchPath: config.PATH }, file);
}

function majorOf(versionNumber: number): number {
  return Math.floor(versionNumber / 10_000);
}

function ownerUrlOf(config: Config): string {
  return config.DATABASE_MIGRATION_URL ?? config.DATABASE_URL!;
}

async function asOwner<T>(config: Config, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: ownerUrlOf(config) });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
