import { chmod, chown, lchown, lstat, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { SANDBOX_GID } from './sandbox.js';

const OTHERS_READ = 0o004;
const GROUP_READ = 0o040;
/** The output folder and those of its renditions. */
const MAX_DEPTH = 2;

export interface Owner {
  uid: number;
  gid: number;
}

/**
 * Lets the sandbox user read a file. A file closed to others is opened to the sandbox's group only; its owner stays the
 * same.
 */
export async function letSandboxRead(path: string): Promise<void> {
  const { mode, uid } = await stat(path);
  if ((mode & OTHERS_READ) === 0) {
    await chown(path, uid, SANDBOX_GID);
    await chmod(path, (mode & 0o777) | GROUP_READ);
  }
}

/** Gives an output folder and everything in it to a user. */
export async function giveTree(dir: string, { uid, gid }: Owner): Promise<void> {
  await lchown(dir, uid, gid);
  for (const entry of await readdir(dir, { withFileTypes: true })) {
    const path = join(dir, entry.name);
    await (entry.isDirectory() ? giveTree(path, { uid, gid }) : lchown(path, uid, gid));
  }
}

/**
 * Takes an output folder back and removes everything our programs never write: a link could point at any file that we
 * may read, and would be stored and played as a segment.
 *
 * @param owner null if the files are already ours
 */
export async function takeTree(dir: string, owner: Owner | null, depth = 0): Promise<void> {
  if (owner !== null) {
    await lchown(dir, owner.uid, owner.gid);
  }
  for (const entry of await readdir(dir, { withFileTypes: true })) {
    const path = join(dir, entry.name);
    if (entry.isDirectory() && depth < MAX_DEPTH) {
      await takeTree(path, owner, depth + 1);
    } else if (entry.isFile() && (await lstat(path)).nlink === 1) {
      if (owner !== null) {
        await lchown(path, owner.uid, owner.gid);
      }
    } else {
      await rm(path, { recursive: true, force: true });
    }
  }
}
