import { existsSync } from 'node:fs';
import { readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { writeSecret } from '../cluster.js';
import type { PostgresHome } from '../home.js';
import { MASTER_KEY, PASSWORDS } from './manifest.js';

export const RESTORING = '.restoring';
export const MASTER_KEY_FILE = 'master.key';

/**
 * Finishes an interrupted restore, or undoes it. Every start calls this before it looks at the database. The old
 * cluster stays until the restored one has its name; after that, the other files of the backup take effect.
 */
export async function finishRestore(home: PostgresHome, dataDir: string): Promise<void> {
  const { clusterDir } = home;
  const replacedDir = `${clusterDir}.replaced`;
  if (!existsSync(clusterDir) && existsSync(replacedDir)) await rename(replacedDir, clusterDir);
  if (existsSync(join(clusterDir, dirname(PASSWORDS)))) await adopt(home, dataDir);
  for (const left of [replacedDir, clusterDir + RESTORING]) await rm(left, { recursive: true, force: true });
}

async function adopt({ dir, clusterDir }: PostgresHome, dataDir: string): Promise<void> {
  const masterKey = await readFile(join(clusterDir, MASTER_KEY), 'utf8').catch(() => null);
  const keyPath = join(dataDir, MASTER_KEY_FILE);
  if (masterKey !== null) {
    const before = await readFile(keyPath, 'utf8').catch(() => masterKey);
    if (before !== masterKey) await rename(keyPath, `${keyPath}.replaced`);
    await writeSecret(keyPath, masterKey);
  }
  await writeSecret(join(dir, 'passwords.json'), await readFile(join(clusterDir, PASSWORDS), 'utf8'));
  await rm(join(clusterDir, dirname(PASSWORDS)), { recursive: true });
}
