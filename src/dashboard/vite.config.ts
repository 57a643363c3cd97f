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

const PARTS = [
  'react/hooks/useMutation',
  'react/hooks/useFragment',
  'use-resize-observer',
  'use-debounced-callback',
  'components/Switch/',
  'components/NativeSelect/',
  'ComboboxChevron',
  'dashboard/parts/PageTabs',
  'dashboard/parts/Changes',
  'dashboard/parts/DownloadButton',
  'dashboard/videos/deletedVideos',
  'dashboard/lib/playLink',
];
const FLOATING = [
  'components/Modal/',
  'components/Popover/',
  'components/Tooltip/',
  'components/Combobox/',
  'components/Select/',
  'components/Menu/',
  'components/ScrollArea/',
  'FocusTrap',
  'dashboard/parts/ConfirmDialog\\.',
  'dashboard/parts/Panel\\.',
];
const CHARTS = ['components/SegmentedControl/', 'dashboard/charts/BarChart'];
// Words may come from any folder.
const VIDEO = ['dashboard/videos/PreviewPlayer', 'dashboard/videos/VideoPage\\.module', '/video\\.ts$'];
const LIST = [
  'dashboard/parts/WindowedList',
  'dashboard/parts/usePages',
  'dashboard/parts/PeriodFields',
  'dashboard/lib/useSearchText',
  '/videos\\.ts$',
];
const BASE = [
  'use-isomorphic-effect',
  'dashboard/auth/AuthFrame\\.',
  'dashboard/auth/SignInForm\\.',
  'dashboard/parts/Toasts\\.',
  'dashboard/words/rich\\.',
  'dashboard/lib/lazy\\.',
  'dashboard/lib/loadAgain\\.',
];
const COMMON = [
  'preload-helper',
  'dashboard/parts/logoSvg',
  'dashboard/generated/firstQueries',
  'dashboard/session/mode\\.',
  'dashboard/home/monthToDate',
  'dashboard/lib/painted',
];

/**
 * The files of the build, each of the modules that its patterns match and of their dependencies. Otherwise everything that
 * two pages share would be a separate file, and each costs a round trip. The first group wins.
 */
const GROUPS: readonly (readonly [name: string, patterns: readonly string[]])[] = [
  // What the watch page shares with the dashboard, so that it does not load the rest.
  ['common', COMMON],
  ['react', ['node_modules/react/', 'node_modules/react-dom/', 'node_modules/scheduler/']],
  // Modules that this and the next group need are here; otherwise the sign-in would load the data chunk too.
  ['base', BASE],
  // The frame of every page behind the sign-in with its data, and Home, where most visits begin: small files compress badly.
  ['pages', ['dashboard/app/Pages\\.tsx']],
  // Small things that several pages share, and all that floats above a page.
  ['parts', PARTS],
  ['floating', FLOATING],
  // What charts need, which no page shows first.
  ['charts', CHARTS],
  // The watch page has it, too.
  ['player', ['src/player/index\\.ts', 'src/player/vtt\\.ts']],
  // What a video's page shares with its parts that load later, and the list of videos with other lists.
  ['video', VIDEO],
  ['list', LIST],
  ['wallet', ['dashboard/wallet/WalletPage\\.tsx', 'dashboard/wallet/topUps/useTopUps\\.ts']],
];

/** A pattern that matches nothing is left from a module that was moved, and its group is no longer what it was. */
const knownModules: Plugin = {
  name: 'dhara-known-modules',
  apply: 'build',
  generateBundle() {
    const modules = [...this.getModuleIds()];
    const unknown = GROUPS.flatMap(([, patterns]) => patterns).filter(
      (pattern) => !modules.some((module) => new RegExp(pattern).test(module)),
    );
    if (unknown.length > 0) this.error(`No module of the dashboard matches ${unknown.join(' or ')}.`);
  },
};

export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  plugins: [react(), reactIds, logo, pageWords, preloads, knownModules],
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
        codeSplitting: {
          groups: GROUPS.map(([name, patterns], at) => ({
            name,
            test: new RegExp(patterns.join('|')),
            priority: GROUPS.length - at,
          })),
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
