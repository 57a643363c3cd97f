/**
 * `npm start`: builds what is stale and becomes the program itself, in this very process, so that
 * every signal npm passes on reaches it. Arguments are those of the `dhara` command; none means `all`.
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

// The program starts itself anew with flags for V8: by the environment, the cache reaches it there too.
process.env.NODE_COMPILE_CACHE ??= join(cacheDir, 'compiled');

const program = join(distDir, 'main.js');
const args = process.argv.slice(2);
process.argv = [process.argv[0], program, ...(args.length > 0 ? args : ['all'])];
await import(pathToFileURL(program).href);
