import { chmod, chown, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { SANDBOX_UID } from './sandbox.js';

const OTHERS_READ = 0o004;
const OTHERS_SEARCH = 0o001;
const GROUP_READ = 0o040;

/** Whether a user without any rights of his own can walk to `path`. */
export async function reachableByOthers(path: string): Promise<boolean> {
  for (let dir = dirname(path); ; dir = dirname(dir)) {
    const { mode } = await stat(dir);
    if ((mode & OTHERS_SEARCH) === 0) {
      return false;
    }
    if (dir === dirname(dir)) {
      return true;
    }
  }
}

/**
 * Lets the sandbox user read a file. One that is closed to others is opened to the sandbox's group
 * alone; its owner keeps it.
 */
export async function letSandboxRead(path: string): Promise<void> {
  const { mode, uid } = await stat(path);
  if ((mode & OTHERS_READ) === 0) {
    await chown(path, uid, SANDBOX_UID);
    await chmod(path, (mode & 0o777) | GROUP_READ);
  }
}

/** Gives a tree of folders (at most two deep) and its files to a user. */
export async function giveTree(dir: string, uid: number, gid: number): Promise<void> {
  await chown(dir, uid, gid);
  for (const entry of await readdir(dir, { withFileTypes: true })) {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) {
      await giveTree(path, uid, gid);
    } else if (entry.isFile()) {
      await chown(path, uid, gid);
    }
  }
}
