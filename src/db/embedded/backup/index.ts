import { readFile, realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { SUPERUSER_ROLE, type ClusterPasswords } from '../cluster.js';
import { MASTER_KEY_FILE } from './finishRestore.js';
import { takeBackup, type Backup, type BackupProgress } from './takeBackup.js';

export { restoreBackup } from './restoreBackup.js';
export type { Backup, BackupProgress } from './takeBackup.js';

export interface EmbeddedBackupOptions {
  readonly file: string;
  /** Neither compressed nor with the master key, for a repository that compresses and that must not hold the key. */
  readonly plain?: boolean;
  readonly onProgress?: (progress: BackupProgress) => void;
}

/**
 * Backs up the embedded database of `dataDir` while it runs.
 *
 * @param anyUrl address of any of its roles and databases; only its host and port are used
 */
export async function backupEmbedded(
  dataDir: string,
  anyUrl: string,
  { file, plain = false, onProgress }: EmbeddedBackupOptions,
): Promise<Backup> {
  const home = await realpath(join(resolve(dataDir), 'postgres'));
  const passwordsPath = join(home, 'passwords.json');
  const passwords = JSON.parse(await readFile(passwordsPath, 'utf8')) as ClusterPasswords;
  const url = new URL(anyUrl);
  url.username = SUPERUSER_ROLE;
  url.password = passwords.migration;
  url.pathname = '/postgres';
  return takeBackup({
    superuserUrl: url.href,
    clusterDir: join(home, 'cluster'),
    passwordsPath,
    masterKeyPath: plain ? null : join(resolve(dataDir), MASTER_KEY_FILE),
    compresses: !plain,
    file: resolve(file),
    ...(onProgress && { onProgress }),
  });
}
