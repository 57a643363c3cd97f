import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { errorCode } from './durable.js';

/**
 * Keys below `root` that begin with `prefix`, in the order of their bytes. Holds the names of one folder per level at a
 * time, and enters only folders the prefix can lead to.
 */
export async function* walk(root: string, prefix: string, folderKey = ''): AsyncGenerator<string> {
  for (const entry of await sortedEntries(join(root, folderKey))) {
    const key = folderKey + entry.name;
    if (entry.isDirectory()) {
      const below = `${key}/`;
      if (below.startsWith(prefix) || prefix.startsWith(below)) yield* walk(root, prefix, below);
    } else if (key.startsWith(prefix)) {
      yield key;
    }
  }
}

/** A folder sorts as its name with a slash, which is what its keys go on with: `a-b` comes before `a/b`. */
async function sortedEntries(folder: string): Promise<Dirent[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    const sortName = (entry: Dirent): string => (entry.isDirectory() ? `${entry.name}/` : entry.name);
    return entries.sort((a, b) => (sortName(a) < sortName(b) ? -1 : 1));
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return [];
    throw error;
  }
}
