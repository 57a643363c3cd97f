import { copyFile, mkdir, open, rename, rmdir } from 'node:fs/promises';
import { constants } from 'node:fs';
import { dirname } from 'node:path';

/** How often a folder may vanish (removed by a neighbor's deletion) between creating it and moving into it. */
const MOVE_ATTEMPTS = 5;

export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/**
 * Mode of video folders. Names in them are unguessable, and other users of the machine cannot list them. They can pass
 * through, because the encoder's unprivileged user must.
 */
export const FOLDER_MODE = 0o711;

/** Syncs what was written to `path` (a file, or a folder's entries) to the disk. */
export async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Moves a file, creating folders as needed. After it resolves, the move survives a power failure. Sync the file's own
 * bytes before: otherwise the name could outlive them.
 */
export async function moveDurably(from: string, to: string): Promise<void> {
  const folder = dirname(to);
  for (let attempt = 1; ; attempt += 1) {
    try {
      const firstMade = await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
      await rename(from, to);
      await syncFolders(folder, firstMade === undefined ? folder : dirname(firstMade));
      return;
    } catch (error) {
      if (!vanishedOnTheWay(error) || attempt === MOVE_ATTEMPTS || !(await exists(from))) throw error;
    }
  }
}

/** Makes a full, synced copy, sharing blocks where the file system can. If it fails, a partial copy may be left. */
export async function copyDurably(from: string, to: string): Promise<void> {
  await copyFile(from, to, constants.COPYFILE_FICLONE);
  await syncPath(to);
}

/** Removes `folder` and its parents, below `root`, as long as they are empty. */
export async function removeEmptyFolders(folder: string, root: string): Promise<void> {
  for (let current = folder; current.startsWith(`${root}/`); current = dirname(current)) {
    try {
      await rmdir(current);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') continue;
      return;
    }
  }
}

/** A folder that a deletion has removed meanwhile holds nothing that could be lost. */
async function syncFolders(folder: string, top: string): Promise<void> {
  for (let current = folder; current.length >= top.length; current = dirname(current)) {
    await syncPath(current).catch((error: unknown) => {
      if (errorCode(error) !== 'ENOENT') throw error;
    });
    if (current === top) return;
  }
}

/** If a parent is removed meanwhile, a recursive `mkdir` reports not a missing folder but "not a directory". */
function vanishedOnTheWay(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '');
}

async function exists(path: string): Promise<boolean> {
  try {
    await (await open(path, 'r')).close();
    return true;
  } catch {
    return false;
  }
}
