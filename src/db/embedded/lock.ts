import { spawn } from 'node:child_process';
import { mkdir, open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';

import { DataDirLockedError } from './errors.js';

export interface DataDirLock {
  release(): Promise<void>;
}

/** Keeps the lock files referenced: the garbage collector would close an unreferenced file and release its lock. */
const held = new Set<FileHandle>();

/**
 * Claims `dataDir` for this process: one data directory, one server.
 *
 * The lock is a kernel lock (flock) on an open file of this process. It ends with the process, however that dies, so it
 * is never stale. It also works between containers that share the directory, where process ids mean nothing. Node has
 * no flock, so the `flock` program locks the open file that it inherits, and the lock stays with the file when that
 * program ends.
 *
 * @param waitMs how long to wait for a server that is shutting down
 * @throws DataDirLockedError if another process still holds the lock after that
 */
export async function acquireDataDirLock(dataDir: string, waitMs = 2_000): Promise<DataDirLock> {
  const file = await openLockFile(dataDir);
  try {
    if (!(await lockOpenFile(file, waitMs))) {
      const holder = (await file.readFile('utf8')).trim() || 'unknown';
      throw new DataDirLockedError(
        `Dhara is already running on ${dataDir} (process ${holder}). Stop it first, or set DATA_DIR to another directory.`,
      );
    }
    await file.truncate(0);
    await file.write(`${process.pid}\n`);
  } catch (error) {
    await file.close();
    throw error;
  }
  held.add(file);
  return {
    release: () => {
      held.delete(file);
      return file.close();
    },
  };
}

async function openLockFile(dataDir: string): Promise<FileHandle> {
  try {
    await mkdir(dataDir, { recursive: true });
    return await open(join(dataDir, 'lock'), 'a+', 0o600);
  } catch (cause) {
    if (!isAccessError(cause)) throw cause;
    throw new DataDirLockedError(
      `${dataDir} cannot be written: it belongs to another user. Start Dhara as that user, or set DATA_DIR to another directory.`,
      { cause },
    );
  }
}

function isAccessError(error: unknown): boolean {
  return ['EACCES', 'EPERM', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '');
}

/** Resolves to whether the lock was granted within `waitMs`. */
function lockOpenFile(file: FileHandle, waitMs: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const child = spawn('flock', ['--timeout', String(waitMs / 1_000), '3'], {
      stdio: ['ignore', 'ignore', 'ignore', file.fd],
    });
    child.once('error', (cause) =>
      reject(new Error('The program flock (of util-linux) is needed and was not found.', { cause })),
    );
    child.once('exit', (exitCode) => resolve(exitCode === 0));
  });
}
