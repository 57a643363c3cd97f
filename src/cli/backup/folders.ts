import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

import { ConfigError } from '../../config/config.js';

/** Exists below DATA_DIR from the first to the last write of a restore. */
export const RESTORING = 'restoring.json';

/** A service must not start on a half of a backup. @throws ConfigError */
export function refuseHalfRestored(dataDir: string): void {
  if (!existsSync(join(dataDir, RESTORING))) return;
  throw new ConfigError(
    `A restore into ${dataDir} did not finish. Run dhara restore again, with the same options, before anything else.`,
  );
}

/** Also true of a folder that does not exist. */
export async function isEmptyFolder(path: string): Promise<boolean> {
  const entries = await readdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return entries.length === 0;
}

export async function sha256Of(path: string): Promise<string> {
  const digest = createHash('sha256');
  await pipeline(createReadStream(path), digest);
  return digest.digest('hex');
}

export function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
