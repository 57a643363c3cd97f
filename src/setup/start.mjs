/**
 * `npm start`: builds what is stale and becomes the program itself, in this very process, so that
 * every signal npm passes on reaches it. Arguments are those of the `dhara` command; none means `all`.
 */
import module from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { buildIfStale } from './buildSteps.mjs';
import { cacheDir, distDir } from './paths.mjs';

const PARENT_CHECK_MS = 250;

try {
  await buildIfStale();
} catch (error) {
  console.error(`dhara: ${error.message}`);
  process.exit(1);
}

stopWhenNpmDies();
module.enableCompileCache?.(join(cacheDir, 'compiled'));

const program = join(distDir, 'main.js');
const args = process.argv.slice(2);
process.argv = [process.argv[0], program, ...(args.length > 0 ? args : ['all'])];
await import(pathToFileURL(program).href);

/**
 * npm passes SIGTERM and SIGINT on, but nobody can pass on the SIGKILL (or the closed terminal) that
 * ends npm itself. Without this the server would live on unseen, holding its port and its data.
 */
function stopWhenNpmDies() {
  if (process.env.npm_lifecycle_event !== 'start') return;
  const npmPid = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === npmPid) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, PARENT_CHECK_MS);
  timer.unref();
}
