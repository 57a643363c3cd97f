/**
 * Checks what each page of the dashboard loads before it shows, against its budget (docs/decisions/0046). Builds the
 * dashboard if it is stale.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

import { buildIfStale } from './buildSteps.mjs';
import { distDir } from './paths.mjs';

/** The most files and bytes that a page may load, if the files are compressed by gzip, without the hashes in their names. */
const BUDGETS = {
  '/': { files: 11, bytes: 219_800 },
  '/videos': { files: 17, bytes: 251_000 },
  '/videos/:id': { files: 18, bytes: 249_900 },
  '/wallet': { files: 16, bytes: 243_900 },
};

await buildIfStale(['dashboard']);
const folder = join(distDir, 'dashboard');
const preloads = JSON.parse(readFileSync(join(folder, 'preloads.json'), 'utf8'));
for (const [path, most] of Object.entries(BUDGETS)) {
  // As the server does: Home is what any other address shows first.
  const files = preloads[path] ?? preloads['*'];
  const bytes = files.reduce((sum, file) => sum + compressedBytes(join(folder, file)), 0);
  // Less than half of the budget would be the wrong page.
  if (files.length <= most.files && bytes <= most.bytes && bytes > most.bytes / 2) continue;
  console.log(
    `${path} loads ${files.length} files with ${bytes} bytes; its budget is ${most.files} and ${most.bytes}.`,
  );
  process.exitCode = 1;
}

/** Hashes compress by chance: with them, a change elsewhere makes a page up to a hundred bytes larger. */
function compressedBytes(file) {
  const text = readFileSync(file, 'latin1').replaceAll(/-[\w-]{8}(?=\.(?:js|css)\b)/g, '');
  return gzipSync(Buffer.from(text, 'latin1')).length;
}
