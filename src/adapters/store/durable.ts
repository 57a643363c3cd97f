import { copyFile, mkdir, open, rename, rmdir } from 'node:fs/promises';
import { constants } from 'node:fs';
import { dirname } from 'node:path';

/** How often a folder may vanish (a neighbour's deletion tidying up) between making it and moving into it. */
const MOVE_ATTEMPTS = 5;

export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/**
 * Folders of videos: names in them are unguessable, and other users of the machine can list none. They can walk through,
 * because the encoder's own low-privilege user has to.
 */
export const FOLDER_MODE = 0o711;

/** Puts what was written to `path` (a file or a folder's entries) on the disk itself. */
export async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Moves a file, making folders as needed; after it resolves, the move survives a power cut. The file's own bytes must
 * have been synced before: otherwise the name could outlive them.
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

/** A full copy on the disk, sharing blocks where the file system can. Where it fails, half of one may be left. */
export async function copyDurably(from: string, to: string): Promise<void> {
  await copyFile(from, to, constants.COPYFILE_FICLONE);
  await syncPath(to);
}

/** Removes `folder` and its parents, below `root`, for as long as they are empty. */
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

/** A folder that a deletion has taken meanwhile holds nothing that could be lost. */
async function syncFolders(folder: string, top: string): Promise<void> {
  for (let current = folder; current.length >= top.length; current = dirname(current)) {
    await syncPath(current).catch((error: unknown) => {
      if (errorCode(error) !== 'ENOENT') throw error;
    });
    if (current === top) return;
  }
}

/** A recursive `mkdir` calls a parent that is removed under its hands not missing but no folder. */
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
