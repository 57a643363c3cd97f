import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { parseSync } from 'vite';
import { expect, it } from 'vitest';

import { english } from '../../../src/dashboard/words/index.js';

const DASHBOARD = join(import.meta.dirname, '../../../src/dashboard');

/**
 * The tables of words, generated code, build scripts, names of browsers, language codes, and documents translated as a
 * whole.
 */
const EXEMPT =
  /^(words|generated|docs\/sections)\/|^(vite\.config|writeTypes|writeFirstQueries|vite-env\.d)\.ts$|userAgent\.ts$|languages\.ts$/;

/** JSX attributes that nobody reads. */
const TECHNICAL =
  /^(className|id|type|name|to|href|src|key|variant|size|color|role|rel|target|autoComplete|autoCapitalize|inputMode|justify|align|tt|component|stroke|fill|defaultColorScheme|focusable|shapeRendering|value|position|icon|kind|tone|preload|accept|as|wrap|data-.*|gap|aria-(keyshortcuts|live|controls|hidden|labelledby|describedby|haspopup|current|sort|orientation))$/;

interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';
}

/** Names of types, queries and an algorithm, which are the same in every language. */
const CODE_NAMES = new Set(['Video', 'Videos', 'Spending', 'Statements', 'Home', 'Ed25519']);

/** A capitalized word, two words by themselves, or three words in a row, which identifiers, classes and codes are not. */
function isProse(text: string): boolean {
  return (
    /^\s*[A-Z][a-z’]+(?![\w-]*[A-Z_/])/.test(text) ||
    /[a-z’]{2,} [a-z’]+ [a-z’]+/i.test(text) ||
    /^[a-z’]{2,} [a-z’]{2,}$/.test(text)
  );
}

/** The texts in a module that people read. */
function textsOf(file: string, source: string): string[] {
  const found: string[] = [];
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);

  function visit(node: Node, parent?: Node): void {
    if (/^TS(TypeAlias|Interface|Literal)|^(Import|ExportAll)Declaration$/.test(node.type)) return;
    if (node.type === 'JSXText') {
      const text = String(node['value']).trim();
      if (/[a-z]{2}/i.test(text) && text !== 'Dhara') found.push(text);
      return;
    }
    if (node.type === 'JSXAttribute') {
      const name = (node['name'] as Node)['name'];
      const value = node['value'];
      // A field's name is technical, a fact's is read.
      const isRead = name === 'name' && isNode(value) && /^[A-Z]/.test(String(value['value']));
      if (typeof name === 'string' && TECHNICAL.test(name) && !isRead) return;
      if (isNode(value) && value.type === 'Literal') {
        if (
          /[a-z]{2}/i.test(String(value['value'])) &&
          !String(value['value']).startsWith('eyJ') &&
          /[A-Z ]/.test(String(value['value']))
        )
          found.push(String(value['value']));
        return;
      }
    }
    // Comparisons, and errors that only developers see.
    if (node.type === 'BinaryExpression' || node.type === 'NewExpression') {
      for (const child of children(node))
        if (child.type !== 'Literal' && child.type !== 'TemplateLiteral') visit(child, node);
      return;
    }
    if (node.type === 'Literal' && typeof node['value'] === 'string') {
      const isKey = parent?.type === 'Property' && parent['key'] === node;
      if (!isKey && !CODE_NAMES.has(node['value']) && isProse(node['value'])) found.push(node['value']);
    }
    if (node.type === 'TemplateLiteral') {
      const text = (node['quasis'] as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join('…');
      if (!text.startsWith('Video:') && isProse(text)) found.push(text);
    }
    for (const child of children(node)) visit(child, node);
  }

  visit(program as unknown as Node);
  return found;
}

function children(node: Node): Node[] {
  return Object.values(node).flat().filter(isNode);
}

it('textsOf finds the texts that people read, and nothing else', () => {
  const source = `
    const status = { label: 'Not paid yet', code: 'NOT_PAID', path: '/videos/new' };
    if (event.key === 'Escape') throw new Error('No such page');
    const page = <p title="A hint" className="panel card" name="code"><Fact name="Paid with" />Hello <b>{count}</b> {\`almost all of \${total} videos\`}</p>;`;

  expect(textsOf('page.tsx', source)).toEqual([
    'Not paid yet',
    'A hint',
    'Paid with',
    'Hello',
    'almost all of … videos',
  ]);
});

it('every text of the dashboard is in its table of words', () => {
  const files = globSync('**/*.{ts,tsx}', { cwd: DASHBOARD }).filter((file) => !EXEMPT.test(file));
  const texts = files.flatMap((file) =>
    textsOf(file, readFileSync(join(DASHBOARD, file), 'utf8')).map((text) => `${file}: ${text}`),
  );

  expect(files.length).toBeGreaterThan(30);
  expect(texts).toEqual([]);
});

it('every text of the first pages is in the table, too', () => {
  for (const file of globSync('*.html', { cwd: DASHBOARD })) {
    const page = readFileSync(join(DASHBOARD, file), 'utf8').replace(/<style>[^]*?<\/style>|<!--[^]*?-->/g, '');
    const texts = [...page.matchAll(/>([^<]*)</g), ...page.matchAll(/content="([A-Z][^"]*)"/g)].map(([, text]) => text);

    expect(
      texts.map((text) => text?.trim()).filter((text) => text && text !== 'Dhara' && !/^\{\{[\w.]+\}\}$/.test(text)),
      file,
    ).toEqual([]);
  }
});

it('one table contains every module of words', () => {
  const modules = globSync('words/en/*.ts', { cwd: DASHBOARD }).map((file) =>
    file.slice('words/en/'.length, -'.ts'.length),
  );

  expect(Object.keys(english).sort()).toEqual(modules.filter((name) => name !== 'counted').sort());
});
