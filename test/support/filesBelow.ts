import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Every file in a folder that a running service writes and sweeps meanwhile, at any depth: what goes while we look is
 * left out. (`readdir` with `recursive` fails when a folder that it has listed is gone before it reads it.)
 */
export async function* filesBelow(folder: string): AsyncGenerator<{ path: string; bytes: Buffer }> {
  for (const entry of await unlessGone(readdir(folder, { withFileTypes: true }), [])) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else if (entry.isFile()) {
      const bytes = await unlessGone(readFile(path), null);
      if (bytes !== null) yield { path, bytes };
    }
  }
}

async function unlessGone<Read, Else>(reading: Promise<Read>, otherwise: Else): Promise<Read | Else> {
  return reading.catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return otherwise;
  });
}
