/**
 * `npm start`: builds what is stale, then becomes the program itself, in this very process, so that every signal that
 * npm forwards reaches it. Arguments are those of the `dhara` command; without any, `all`.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { buildIfStale } from './buildSteps.mjs';
import { cacheDir, distDir } from './paths.mjs';

try {
  await buildIfStale();
} catch (error) {
  console.error(`dhara: ${error.message}`);
  process.exit(1);
}

// The program restarts itself with V8 flags; the environment variable makes the cache work there too.
process.env.NODE_COMPILE_CACHE ??= join(cacheDir, 'compiled');

const program = join(distDir, 'main.js');
const args = process.argv.slice(2);
process.argv = [process.argv[0], program, ...(args.length > 0 ? args : ['all'])];
await import(pathToFileURL(program).href);
