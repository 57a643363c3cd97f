import { defineConfig } from 'vitest/config';

import { WINDOWS } from './browser/sizes.js';
import { IS_FULL } from './support/effort.js';
import { LongestFirst } from './support/longestFirst.js';
import { TEST_MS, WAIT_MS } from './support/deadlines.js';

/** Each of these runs in a separate process. */
const ALONE = {
  /** They replace a module of the server for all that loads it. */
  db: ['test/db/statements/statements.test.ts', 'test/db/shard/statements.test.ts'],
  /** It limits the peak memory of its process, which another file may have raised already. */
  media: ['test/media/hostile/corpus.test.ts'],
};

/** What people do in the dashboard: each test in one window (`test/browser/window.ts`), or with `TEST_FULL=1` in all. */
const JOURNEYS = ['dashboard', 'developerPages', 'money', 'support', 'videoPages', 'videos'].map(
  (name) => `test/browser/${name}.test.ts`,
);
const journeysInEachWindow = () =>
  WINDOWS.map(({ name }) => ({
    extends: true as const,
    test: { name: `browser-${name}`, include: JOURNEYS, env: { TEST_WINDOW: name } },
  }));

interface ProjectOptions {
  include?: string[];
  exclude?: string[];
  isolate?: boolean;
  maxWorkers?: number;
  sequence?: { groupOrder: number };
}

/** One folder per project, by the cost of its tests; `src/setup/test.mjs` chooses which run when. */
function project(name: string, options: ProjectOptions = {}) {
  return { extends: true as const, test: { name, include: [`test/${name}/**/*.test.ts`], ...options } };
}

/** A page may close while a request of it is still answered: what Playwright then says about the handler is no fault. */
function isOfTest({ message }: { message: string }): boolean {
  return !message.includes('has been closed" while running route callback');
}

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  resolve: {
    // Without this, vitest loads the ESM and the CommonJS copy of graphql side by side, and each refuses a schema built
    // by the other.
    alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }],
  },
  test: {
    projects: [
      // One process runs many of these files, because loading the server takes longer than most of them. What they
      // share are modules; each file has its own database and servers.
      project('unit', { isolate: false }),
      project('db', { isolate: false, exclude: ALONE.db }),
      project('db-alone', { include: ALONE.db }),
      project('service', { isolate: false }),
      project('journey'),
      project('media', { isolate: false, exclude: ALONE.media }),
      project('media-alone', { include: ALONE.media }),
      project('browser', IS_FULL ? { exclude: JOURNEYS } : {}),
      ...(IS_FULL ? journeysInEachWindow() : []),
      project('faults'),
      // Its figures are of a machine with nothing else to do, so it runs after all others, one file at a time.
      ...(IS_FULL ? [project('cluster', { maxWorkers: 1, sequence: { groupOrder: 1 } })] : []),
    ],
    setupFiles: ['reflect-metadata'],
    globalSetup: ['test/support/globalSetup.ts'],
    pool: 'forks',
    maxWorkers: Number(process.env['TEST_WORKERS'] ?? 2),
    sequence: { sequencer: LongestFirst },
    testTimeout: TEST_MS,
    expect: { poll: { timeout: WAIT_MS } },
    hookTimeout: TEST_MS,
    teardownTimeout: 20_000,
    onUnhandledError: isOfTest,
    // `npm run coverage`; of code that runs in other processes or in a browser, it sees nothing.
    coverage: { provider: 'v8', include: ['src/**/*.ts'], reporter: ['text-summary', 'json', 'html'] },
  },
});
