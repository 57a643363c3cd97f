/**
 * Builds the package `@dhara/client`, as it is published, into dist/client or the folder that is named:
 *
 *   index.js, index.d.ts, …   ES modules     cjs/   the same for `require`
 */
import { cp, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { distDir, rootDir } from './paths.mjs';
import { runTool } from './tools.mjs';

const source = join(rootDir, 'src/client');
const target = resolve(process.argv[2] ?? join(distDir, 'client'));

await rm(target, { recursive: true, force: true });
await compile('tsconfig.json', target);
await compile('tsconfig.cjs.json', join(target, 'cjs'));
// Without it, Node takes the files below for ES modules, as those of the package are.
await writeFile(join(target, 'cjs/package.json'), '{ "type": "commonjs" }\n');
for (const file of ['package.json', 'README.md']) await cp(join(source, file), join(target, file));
await cp(join(rootDir, 'LICENSE'), join(target, 'LICENSE'));

async function compile(config, outDir) {
  const args = ['-p', join(source, config), '--noEmitOnError', '--outDir', outDir];
  const { exitCode, output } = await runTool('tsc', args);
  process.stdout.write(output);
  if (exitCode !== 0) process.exit(exitCode);
}
