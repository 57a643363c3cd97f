import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Config } from '../config/config.js';
import { acquireDataDirLock, DataDirLockedError, startEmbeddedPostgres } from '../db/embedded/index.js';
import type { Logger } from '../logger.js';
import { refuseHalfRestored } from './backup/folders.js';

export interface DatabaseUrls {
  readonly migrationUrl: string;
  readonly runtimeUrl: string;
}

export interface DatabaseAccess extends DatabaseUrls {
  /** True if this process runs the embedded database. */
  readonly embedded: boolean;
  close(): Promise<void>;
}

/**
 * Opens the database: `DATABASE_URL`, or the embedded one under DATA_DIR.
 *
 * The first process of a data directory starts the embedded database and owns the directory. With `join`, later
 * processes use it while the owner runs; otherwise they are refused.
 * @throws DataDirLockedError
 * @throws ConfigError if a restore into DATA_DIR did not finish
 */
export async function openDatabase(config: Config, mode: 'own' | 'join', logger: Logger): Promise<DatabaseAccess> {
  refuseHalfRestored(config.DATA_DIR);
  if (config.DATABASE_URL) {
    return {
      migrationUrl: config.DATABASE_MIGRATION_URL ?? config.DATABASE_URL,
      runtimeUrl: config.DATABASE_URL,
      embedded: false,
      close: async () => undefined,
    };
  }
  try {
    return await ownEmbedded(config.DATA_DIR, mode === 'join' ? 0 : undefined, logger);
  } catch (error) {
    const running = mode === 'join' && error instanceof DataDirLockedError ? await readUrls(config.DATA_DIR) : null;
    if (!running) throw error;
    return { ...running, embedded: false, close: async () => undefined };
  }
}

async function ownEmbedded(dataDir: string, waitMs: number | undefined, logger: Logger): Promise<DatabaseAccess> {
  const lock = await acquireDataDirLock(dataDir, waitMs);
  try {
    const postgres = await startEmbeddedPostgres({ dataDir, log: logger });
    const { migrationUrl, runtimeUrl } = postgres;
    await writeUrls(dataDir, { migrationUrl, runtimeUrl });
    return {
      migrationUrl,
      runtimeUrl,
      embedded: true,
      close: async () => {
        await rm(urlsFile(dataDir), { force: true });
        await postgres.stop();
        await lock.release();
      },
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

function urlsFile(dataDir: string): string {
  return join(dataDir, 'run', 'database.json');
}

async function writeUrls(dataDir: string, urls: DatabaseUrls): Promise<void> {
  await mkdir(join(dataDir, 'run'), { recursive: true, mode: 0o700 });
  const partial = `${urlsFile(dataDir)}.${process.pid}`;
  await writeFile(partial, JSON.stringify(urls), { mode: 0o600 });
  await rename(partial, urlsFile(dataDir));
}

async function readUrls(dataDir: string): Promise<DatabaseUrls | null> {
  try {
    return JSON.parse(await readFile(urlsFile(dataDir), 'utf8')) as DatabaseUrls;
  } catch {
    return null;
  }
}
