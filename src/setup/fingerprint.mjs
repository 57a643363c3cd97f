import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';

import { rootDir } from './paths.mjs';

/**
 * A hash over names and contents of the files at and below `paths` (relative to the repository). It uses contents, not
 * times: a clone, a checkout or a copy changes the times and nothing else.
 *
 * @param leaveOut paths, relative to the repository, whose files do not count
 */
export function fingerprint(paths, leaveOut = []) {
  const hash = createHash('sha256');
  for (const path of paths) addTo(hash, join(rootDir, path), leaveOut);
  return hash.digest('hex');
}

function addTo(hash, path, leaveOut) {
  const name = relative(rootDir, path);
  if (leaveOut.includes(name)) return;

  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return;
  if (found.isDirectory()) {
    for (const entry of readdirSync(path).sort()) addTo(hash, join(path, entry), leaveOut);
    return;
  }
  const content = readFileSync(path);
  hash.update(`${name}\0${content.length}\0`).update(content);
}
