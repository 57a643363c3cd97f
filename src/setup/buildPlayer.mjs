/**
 * Builds the player SDK into dist/player:
 *
 *   dhara-player.mjs   the module            dhara-player.js   for a plain script tag
 *   dhara-player.d.ts  types of both         hls-….mjs         hls.js, shared by both
 *   embed.html, .mjs, .css                   measure-….mjs     reports of views, shared by both
 *                      the page for frames
 *
 * Each file is also stored compressed, since it is sent far more often than it is built.
 */
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { build } from 'vite';

import { compressFolder } from './compress.mjs';
import { distDir, rootDir } from './paths.mjs';

const source = join(rootDir, 'src/player');
const target = join(distDir, 'player');
/** Entries that the others load later; a hash in their names lets browsers keep them for good. */
const CHUNKS = ['hls', 'measure'];
const surroundings = /\/surroundings\.js$/;

/** Removes whitespace from CSS and markup. */
function lean(text) {
  return text
    .replace(/\n\s*/g, '')
    .replace(/ ([{}>!/]) ?|([;:,]) /g, '$1$2')
    .replaceAll(';}', '}');
}

/** Style sheets are shipped without line breaks and indentation. */
const leanStyles = {
  name: 'lean-styles',
  enforce: 'pre',
  transform: (code, id) =>
    /[sS]tyles\.ts$|markup\.ts$/.test(id) ? code.replace(/`\n[^`]*`/g, (text) => lean(text)) : null,
};

await rm(target, { recursive: true, force: true });
await mkdir(target, { recursive: true });
await bundle(
  { 'dhara-player': 'index.ts', hls: 'hlsLibrary.ts', measure: 'analytics/analytics.ts', embed: 'embed/embed.ts' },
  'es',
);
const files = await readdir(target);
const fileOf = (chunk) => JSON.stringify(files.find((name) => name.startsWith(`${chunk}-`)));
await bundle({ 'dhara-player': 'index.ts' }, 'iife', {
  define: { HLS_FILE: fileOf('hls'), ANALYTICS_FILE: fileOf('measure') },
  plugins: [{ name: 'script-surroundings', enforce: 'pre', resolveId: scriptSurroundings }],
});
await writeTypes();
for (const name of ['embed.html', 'embed.css']) await copyFile(join(source, 'embed', name), join(target, name));
await compressFolder(target);

/** `entries`: output name → source, below src/player. */
async function bundle(entries, format, { define = {}, plugins = [] } = {}) {
  const isModule = format === 'es';
  await build({
    configFile: false,
    logLevel: 'warn',
    // Do not first declare as undefined what a constructor sets.
    oxc: { assumptions: { setPublicClassFields: true }, typescript: { removeClassFieldsWithoutInitializer: true } },
    define,
    plugins: [leanStyles, ...plugins],
    build: {
      outDir: target,
      emptyOutDir: false,
      target: ['chrome111', 'firefox121', 'safari16.4'],
      modulePreload: false,
      minify: 'oxc',
      chunkSizeWarningLimit: 1000,
      lib: {
        entry: Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, join(source, file)])),
        formats: [format],
        name: 'Dhara',
      },
      rollupOptions: {
        output: {
          generatedCode: { symbols: false },
          minify: true,
          entryFileNames: ({ name }) => `[name]${CHUNKS.includes(name) ? '-[hash]' : ''}.${isModule ? 'mjs' : 'js'}`,
          chunkFileNames: '[name]-[hash].mjs',
        },
      },
    },
  });
}

function scriptSurroundings(id, importer) {
  return surroundings.test(id) && importer ? join(source, 'surroundings.script.ts') : null;
}

/** The types already exist in one file; only the class itself is missing there. */
async function writeTypes() {
  const types = await readFile(join(source, 'api.ts'), 'utf8');
  const element = '{ new (): DharaPlayerElement; prototype: DharaPlayerElement }';
  await writeFile(join(target, 'dhara-player.d.ts'), `${types}\nexport declare const DharaPlayer: ${element};\n`);
}
