import { join, resolve } from 'node:path';

import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

import { LOGO_SVG } from './parts/logoSvg.js';
import { preloads } from './preloads.js';

/** Address of the service while vite's own server serves the dashboard (`vite --config …`). */
const SERVICE = process.env['DHARA_URL'] ?? 'http://127.0.0.1:8080';

// Always build for production: in a test run, the libraries' development code would be included.
if (process.argv.includes('build')) process.env['NODE_ENV'] = 'production';

/** The folder with the words of the dashboard: its language. */
const WORDS = resolve(process.env['DASHBOARD_WORDS'] ?? join(import.meta.dirname, 'words/en'));

/** The pages contain what a script would draw, because they show before any script runs. */
const logo: Plugin = {
  name: 'dhara-logo',
  transformIndexHtml: (page) => page.replace('<!-- logo -->', LOGO_SVG),
};

/** Likewise the words: `{{signIn.password}}` is `words.password` of `signIn.ts`. */
const pageWords: Plugin = {
  name: 'dhara-page-words',
  transformIndexHtml: {
    order: 'pre',
    async handler(page) {
      const names = [...page.matchAll(PAGE_WORD)];
      const texts = await Promise.all(names.map(([, area = '', name = '']) => pageWord(area, name)));
      return page.replace(PAGE_WORD, () => texts.shift() ?? '');
    },
  },
};

const PAGE_WORD = /\{\{(\w+)\.(\w+)\}\}/g;

/** As text or attribute of a page. */
async function pageWord(area: string, name: string): Promise<string> {
  const { words } = (await import(join(WORDS, `${area}.ts`))) as { words: Readonly<Record<string, unknown>> };
  const text = words[name];
  if (typeof text !== 'string') throw new Error(`no such word: ${area}.${name}`);
  return text.replace(/[&<"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/**
 * The component library gives each input a random id after it was rendered, and renders it again at once. One page has one
 * copy of React, whose own ids are unique.
 */
const reactIds: Plugin = {
  name: 'dhara-react-ids',
  enforce: 'pre',
  load: (id) => (MANTINE_ID.test(id) ? REACT_ID : undefined),
  generateBundle() {
    if (![...this.getModuleIds()].some((id) => MANTINE_ID.test(id))) {
      this.error('The component library has its ids in another module now.');
    }
  },
};

const MANTINE_ID = /@mantine\/hooks\/esm\/use-id\/use-id\.mjs$/;
const REACT_ID = `import { useId as useReactId } from 'react';
export function useId(given) {
  const own = useReactId();
  return typeof given === 'string' ? given : own;
}
`;

const PARTS =
  /react\/hooks\/use(?:Mutation|Fragment)|use-(?:resize-observer|debounced-callback)|components\/(?:Switch|NativeSelect)\/|ComboboxChevron|dashboard\/(?:parts\/(?:StateTag|PageTabs|Changes|DownloadButton)|videos\/deletedVideos)/;
const FLOATING =
  /components\/(?:Modal|Popover|Tooltip|Combobox|Select|Menu|ScrollArea)\/|FocusTrap|dashboard\/parts\/(?:ConfirmDialog|Panel)\./;
const CHARTS = /components\/SegmentedControl\/|dashboard\/charts\/BarChart/;
const VIDEO = /dashboard\/videos\/(?:PreviewPlayer|VideoPage\.module)|words\/[^/]+\/video\.ts/;
const LIST = /dashboard\/(?:parts\/(?:WindowedList|usePages|PeriodFields)|lib\/useSearchText)|words\/[^/]+\/videos\.ts/;

export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  plugins: [react(), reactIds, logo, pageWords, preloads],
  resolve: { alias: [{ find: /^#words\/(.*)\.js$/, replacement: join(WORDS, '$1.ts') }] },
  build: {
    outDir: '../../dist/dashboard',
    emptyOutDir: true,
    target: 'es2022',
    // The first versions that support `light-dark()`, which would otherwise be rewritten into something weaker.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    sourcemap: false,
    // The content security policy allows no `data:` scripts, and inlining SVG saves nothing here.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // The same dashboard; only the content before its scripts run differs.
      input: ['index.html', 'sign-in.html'].map((page) => join(import.meta.dirname, page)),
      output: {
        // Each group includes its dependencies. Otherwise everything that two pages share would be a separate file, and
        // each costs a round trip.
        codeSplitting: {
          groups: [
            // What the watch page shares with the dashboard, so that it does not load the rest.
            {
              name: 'common',
              test: /preload-helper|parts\/logoSvg|generated\/firstQueries|app\/mode|home\/monthToDate|lib\/painted/,
              priority: 2,
            },
            { name: 'react', test: /node_modules\/(?:react|react-dom|scheduler)\//, priority: 1 },
            {
              name: 'base',
              test: /use-isomorphic-effect|dashboard\/(?:auth\/AuthFrame|auth\/SignInForm|parts\/Toasts|words\/rich|lib\/lazy|lib\/loadAgain)\.tsx?/,
              // Modules that both groups need are here; otherwise the sign-in would load the data chunk too.
              priority: 0.5,
            },
            // The frame of every page behind the sign-in with its data, and Home, where most visits begin: small files
            // compress badly.
            { name: 'pages', test: /dashboard\/app\/Pages\.tsx/, priority: 0.4 },
            // Small things that several pages share, and all that floats above a page.
            { name: 'parts', test: PARTS, priority: 0.3 },
            { name: 'floating', test: FLOATING, priority: 0.2 },
            // What charts need, which no page shows first.
            { name: 'charts', test: CHARTS, priority: 0.18 },
            // The watch page has it, too.
            { name: 'player', test: /src\/player\/(?:index|vtt)\.ts/, priority: 0.15 },
            // What a video's page shares with its parts that load later, and the list of videos with other lists.
            { name: 'video', test: VIDEO, priority: 0.13 },
            { name: 'list', test: LIST, priority: 0.12 },
            { name: 'wallet', test: /dashboard\/wallet\/(?:WalletPage|topUps\/useTopUps)\.tsx?/, priority: 0.1 },
          ],
        },
      },
    },
    chunkSizeWarningLimit: 600,
  },
  server: {
    proxy: Object.fromEntries(
      ['/graphql', '/api', '/uploads', '/branding', '/media', '/v1'].map((path) => [
        path,
        { target: SERVICE, changeOrigin: false },
      ]),
    ),
  },
});
