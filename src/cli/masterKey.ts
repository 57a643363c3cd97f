import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { ConfigError, type Config } from '../config/config.js';

const KEY_BYTES = 32;

/** The 32 bytes from which all secrets derive: MASTER_KEY, or a file under DATA_DIR created on the first start. */
export async function loadMasterKey(config: Config): Promise<Buffer> {
  if (config.MASTER_KEY) return Buffer.from(config.MASTER_KEY, 'base64');
  const path = join(config.DATA_DIR, 'master.key');
  await mkdir(config.DATA_DIR, { recursive: true });
  // The first process writes the file; all processes, including the first, use what the file says.
  const file = await open(path, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
    return null;
  });
  if (file) {
    await file.writeFile(randomBytes(KEY_BYTES).toString('base64'));
    await file.sync();
    await file.close();
  }
  const key = Buffer.from(await readFile(path, 'utf8'), 'base64');
  if (key.length !== KEY_BYTES) {
    throw new ConfigError(`${path} does not hold a master key. Restore it; without it no signing key can be read.`);
  }
  return key;
}
