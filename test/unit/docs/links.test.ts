import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { helpText } from '../../../src/cli/help.js';
import { describeSettings } from '../../../src/config/config.js';
import { brokenReferences, reader, type World } from './references.js';

const ROOT = new URL('../../..', import.meta.url).pathname;
const read = reader(ROOT);

/** Variables of the tests, the examples, the set-up, the edge script and restic, which `dhara --help` does not list. */
const OTHER_VARIABLES = [
  'DASHBOARD_WORDS',
  'DHARA_URL',
  'DHARA_KEY',
  'DHARA_WEBHOOK_SECRET',
  'URL',
  'KEY',
  'GRANT_KEY',
  'BUCKET_URL',
  'TEST_FULL',
  'TEST_WINDOW',
  'PROOF_SEED',
  'CLUSTER_AWAY_SECONDS',
  'CLUSTER_RUNS',
  'SOAK_UPLOAD_PAUSE_SECONDS',
  'SOAK_MINUTES',
  'RESTIC_PASSWORD_FILE',
  'RESTIC_REPOSITORY',
];

/** Files that `deploy/compose/prepare` writes. */
const WRITTEN = ['deploy/.env', 'deploy/compose/settings.env'];

describe('the documents', () => {
  const world = worldOf(ROOT);
  const documents = [
    ...markdownIn('.', { recursive: false }),
    ...['docs', '.github', 'src'].flatMap((folder) => markdownIn(folder, { recursive: true })),
  ];

  it('include the README and what it links to', () => {
    expect(documents).toEqual(expect.arrayContaining(['README.md', 'docs/operations.md', 'src/player/README.md']));
  });

  it.each(documents)('%s names only files, headings, scripts, commands, settings and codes that exist', (path) => {
    expect(brokenReferences(path, read(path), world)).toEqual([]);
  });

  it('keep the README within 120 lines', () => {
    expect(read('README.md').split('\n').length).toBeLessThanOrEqual(121);
  });

  it('fail for each kind of broken reference', () => {
    const text = [
      '# Title',
      '[gone](docs/gone.md), [no heading](#nowhere), [fine](#title), [a site](https://example.com)',
      'See `src/gone.ts`, src/cli/help.ts, `src/domain/*`, `src/nowhere/*`, `deploy/gone`, `help.ts` and `gone.ts`.',
      '`npm run nothing`, `npm run check`, `dhara dance`, `dhara ledger dance`, `dhara doctor --loudly`, `dhara doctor --json`',
      '```sh',
      'NO_SUCH_SETTING=1 PORT=4000 npm start -- sing',
      '```',
      '`NO_SUCH_CODE` and `STORE_FULL`',
    ].join('\n');

    expect(brokenReferences('README.md', text, { ...world, read: () => text })).toEqual([
      'docs/gone.md: no such file',
      '#nowhere: no such heading',
      'src/gone.ts: no such file',
      'src/nowhere/: no such file',
      'deploy/gone: no such file',
      'gone.ts: no file has this name',
      'npm run nothing: no such script',
      'dhara sing: no such command',
      'dhara dance: no such command',
      'dhara ledger dance: no such command',
      'dhara doctor --loudly: no such option',
      'NO_SUCH_SETTING=: nothing reads this variable',
      'NO_SUCH_SETTING: the code has no such name',
      'NO_SUCH_CODE: the code has no such name',
    ]);
  });
});

function worldOf(root: string): World {
  const settings = [...describeSettings().matchAll(/^  ([A-Z0-9_]+) /gm)].map(([, name = '']) => name);
  const names = new Set([...namesIn(join(root, 'src')), ...settings, ...OTHER_VARIABLES]);
  const folders = ['src', 'test', 'docs', 'deploy'].flatMap((folder) => filesIn(join(root, folder)));
  const files = new Set([...readdirSync(root), ...folders].map((file) => basename(file)));
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  return {
    exists: (path) => WRITTEN.includes(path) || existsSync(join(root, path)),
    hasFile: (name) => files.has(name),
    scripts: new Set(Object.keys(scripts)),
    help: helpText(),
    variables: new Set([...settings, ...OTHER_VARIABLES]),
    isKnownName: (name) => names.has(name),
    read,
  };
}

/** The Markdown files of a folder, which may be missing. Packages that an example installed are not ours. */
function markdownIn(folder: string, { recursive }: { recursive: boolean }): string[] {
  if (!existsSync(join(ROOT, folder))) return [];
  const files = readdirSync(join(ROOT, folder), { recursive, encoding: 'utf8' });
  const ours = files.filter((file) => file.endsWith('.md') && !file.includes('node_modules'));
  return ours.map((file) => join(folder, file));
}

/** All names in capitals with an underscore in the TypeScript below `folder`. */
function namesIn(folder: string): Set<string> {
  const files = filesIn(folder).filter((file) => /\.tsx?$/.test(file));
  return new Set(files.flatMap((file) => reader(folder)(file).match(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g) ?? []));
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' });
}
