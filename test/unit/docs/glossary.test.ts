import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { ALLOWED, REFUSED_USES } from './glossaryWords.js';

const ROOT = join(import.meta.dirname, '../../..');

/** Everything that people write and read. `schema.graphql` comes from `src/api/graphql`. */
const READ = [
  'src/**/*.{ts,tsx,mjs,html,css,md,graphql}',
  'test/**/*.{ts,tsx}',
  'docs/**/*.{md,mjs,js,php}',
  'deploy/**/*.{md,yaml,mjs,env,service,toml}',
  '*.md',
];
/** Generated files, migrations, which never change, and the words themselves. */
const EXEMPT = /\/generated\/|\/node_modules\/|^src\/db\/migrations\/|^docs\/glossary\.md$|^test\/unit\/docs\/glossary/;

/** The words of the last column of all tables, without their notes in parentheses. */
function unusedWords(glossary: string): string[] {
  const cells = [...glossary.matchAll(/^\|[^|]+\|[^|]+\|([^|]*)\|$/gm)].map(([, last = '']) => last);
  const words = cells.flatMap((cell) => cell.replaceAll(/\([^)]*\)/g, '').split(','));
  const bare = words.map((word) =>
    word
      .trim()
      .replace(/^to (?!be )/, '')
      .toLowerCase(),
  );
  return [...new Set(bare)].filter((word) => /^[a-z]/.test(word) && word !== 'not used in new code');
}

/** A word in all its forms; of a phrase, the first word is inflected. */
function formsOf(word: string): RegExp {
  const [first = '', ...rest] = word.split(' ');
  const stem = first.replace(/[ey]$/, '');
  const ending = first.endsWith('y')
    ? '(?:y|ies|ied|ying)'
    : first.endsWith('e')
      ? '(?:e|es|ed|ing)'
      : '(?:s|es|ed|ing)?';
  const after = rest.length === 0 ? '' : `[ -]${rest.join('[ -]')}s?`;
  return new RegExp(`\\b${stem}${ending}${after}\\b`, 'i');
}

/** `keyFrame` and `key_frame` as words. */
function inWords(line: string): string {
  return line.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').replaceAll('_', ' ');
}

interface Search {
  readonly refused: readonly string[];
  /** The allowances that allowed something. */
  readonly needed: ReadonlySet<(typeof ALLOWED)[number]>;
}

function search(words: readonly string[], path: string, text: string): Search {
  const needed = new Set<(typeof ALLOWED)[number]>();
  const patterns = words.map((word) => ({ word, forms: formsOf(word), uses: REFUSED_USES[word] }));
  const any = new RegExp(patterns.map(({ forms }) => forms.source).join('|'), 'i');
  const refused = text.split('\n').flatMap((line, index) => {
    if (!any.test(inWords(line))) return [];
    return patterns.flatMap(({ word, forms, uses }) => {
      const isRefused = (part: string): boolean => (uses ? uses.test(part) : forms.test(inWords(part)));
      let rest = line;
      for (const allowed of ALLOWED.filter((one) => one.words.includes(word) && (one.in?.test(path) ?? true))) {
        const before = rest;
        rest = allowed.as ? rest.replaceAll(allowed.as, ' ') : '';
        if (isRefused(before) && rest !== before) needed.add(allowed);
      }
      return isRefused(rest) ? [`${path}:${index + 1}: ${word}: ${line.trim()}`] : [];
    });
  });
  return { refused, needed };
}

describe('the words that the glossary does not use', () => {
  const words = unusedWords(readFileSync(join(ROOT, 'docs/glossary.md'), 'utf8'));

  it('are read from its last column', () => {
    expect(words).toEqual(
      expect.arrayContaining(['film', 'rung', 'e-mail', 'go on', 'to be allotted', 'purge', 'upload']),
    );
    expect(words).not.toContain('not used in new code');
  });

  it('are found in comments, identifiers and text, in all their forms', () => {
    const text = [
      '// A film goes on.',
      'const keptRungs = filmRooms(); // copied to the clipboard',
      'if (rendition.copy) video.playableRungs',
      'the mail server',
    ].join('\n');
    expect(search(words, 'src/x.ts', text).refused).toEqual([
      'src/x.ts:1: film: // A film goes on.',
      'src/x.ts:1: go on: // A film goes on.',
      'src/x.ts:2: film: const keptRungs = filmRooms(); // copied to the clipboard',
      'src/x.ts:2: room: const keptRungs = filmRooms(); // copied to the clipboard',
      'src/x.ts:2: rung: const keptRungs = filmRooms(); // copied to the clipboard',
      'src/x.ts:2: kept rung: const keptRungs = filmRooms(); // copied to the clipboard',
      'src/x.ts:3: copy: if (rendition.copy) video.playableRungs',
    ]);
  });

  it('are used nowhere, except where they mean something else', () => {
    const files = globSync(READ, { cwd: ROOT }).filter((file) => !EXEMPT.test(file));
    const found = files.map((file) => search(words, file, readFileSync(join(ROOT, file), 'utf8')));

    expect(files.length).toBeGreaterThan(1500);
    expect(found.flatMap(({ refused }) => refused)).toEqual([]);
    const needed = new Set(found.flatMap((one) => [...one.needed]));
    expect(ALLOWED.filter((allowed) => !needed.has(allowed))).toEqual([]);
  });

  it('are the only ones with exceptions', () => {
    const excepted = [...ALLOWED.flatMap((allowed) => allowed.words), ...Object.keys(REFUSED_USES)];
    expect(excepted.filter((word) => !words.includes(word))).toEqual([]);
  });
});
