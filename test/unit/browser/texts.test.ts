import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { isValidElement, type ReactNode } from 'react';
import { parseSync } from 'vite';
import { describe, expect, it } from 'vitest';

import { english } from '../../../src/dashboard/words/index.js';

const TABLES = join(import.meta.dirname, '../../../src/dashboard/words/en');

/**
 * What a text is tried with, by the type of its parameter: words that no text contains, a currency because some strings
 * are codes, and numbers on both sides of each plural, percentage and unit of time.
 */
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  string: ['‹one›', '‹two›', 'INR'],
  number: [0, 1, 2, 45, 60, 100, 1_234],
  boolean: [true, false],
  ReactNode: ['‹one›', '‹two›'],
  Wrap: [(text: string) => `‹one${text}›`, (text: string) => `‹two${text}›`],
  null: [null],
  undefined: [undefined],
};

/** Limits, which are never one. */
const LIMITS = /^(MAX_\w+|length|windowHours)$/;

interface Parameter {
  readonly name: string;
  /** As written. */
  readonly type: string;
}

interface Text {
  /** Such as `wallet.debtCard.youOwe`. */
  readonly name: string;
  /** `null` for a text without values. */
  readonly parameters: readonly Parameter[] | null;
  readonly value: unknown;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

const texts = Object.entries(english).flatMap(([table, words]) => textsOf(table, words));

/** All texts of a table. The types of their parameters are read from its source. */
function textsOf(table: string, words: object): Text[] {
  const path = join(TABLES, `${table}.ts`);
  const source = readFileSync(path, 'utf8');
  const parameters = new Map<string, Parameter[]>();

  function visit(value: unknown, name: string): void {
    if (Array.isArray(value)) return value.forEach((each) => visit(each, name));
    if (typeof value !== 'object' || value === null) return;
    const node = value as Node;
    if (node.type === 'Property') {
      const key = node['key'] as { name?: string; value?: unknown };
      return visit(node['value'], `${name}.${key.name ?? String(key.value)}`);
    }
    if (node.type === 'ArrowFunctionExpression') {
      const params = node['params'] as { name: string; typeAnnotation: { typeAnnotation: Node } }[];
      parameters.set(
        name,
        params.map(({ name: parameter, typeAnnotation: { typeAnnotation: type } }) => ({
          name: parameter,
          type: source.slice(type.start, type.end),
        })),
      );
      return undefined;
    }
    return Object.values(node).forEach((each) => visit(each, name));
  }

  const { program } = parseSync(path, source);
  const declared = (program.body as unknown as Node[]).find(({ type }) => type === 'ExportNamedDeclaration');
  visit(declared?.['declaration'], table);

  function flat(value: unknown, name: string): Text[] {
    if (typeof value === 'object' && value !== null) {
      return Object.entries(value).flatMap(([key, each]) => flat(each, `${name}.${key}`));
    }
    if (typeof value !== 'function') return [{ name, parameters: null, value }];
    const found = parameters.get(name);
    if (found === undefined) throw new Error(`${name}: its parameters were not found in ${path}`);
    return [{ name, parameters: found, value }];
  }
  return flat(words, table);
}

/** The values that a parameter is tried with. */
function valuesOf({ name: parameter, type }: Parameter): readonly unknown[] {
  if (LIMITS.test(parameter)) return [2, 1_234];
  return type.split('|').flatMap((part) => {
    const name = part.trim();
    const values = /^'.*'$/.test(name) ? [name.slice(1, -1)] : VALUES[name];
    if (values === undefined) throw new Error(`no values for a parameter of type ${name}`);
    return values;
  });
}

/** All combinations of one value of each list. */
function combinations(lists: readonly (readonly unknown[])[]): unknown[][] {
  return lists.reduce<unknown[][]>((all, list) => all.flatMap((one) => list.map((value) => [...one, value])), [[]]);
}

/** What a person reads of it. */
function shown(node: unknown): string {
  if (node === null || node === undefined || typeof node === 'boolean') return '';
  if (Array.isArray(node)) return node.map(shown).join('');
  if (isValidElement(node)) return shown((node.props as { children?: ReactNode }).children);
  return typeof node === 'string' || typeof node === 'number' ? String(node) : '[object]';
}

/** The texts that a function makes: a title and advice are two. */
function made({ value }: Text, args: readonly unknown[]): string[] {
  const result: unknown = (value as (...given: unknown[]) => unknown)(...args);
  return Array.isArray(result) ? result.map(shown) : [shown(result)];
}

/** What is wrong with a text. */
function faultsOf(text: string): string[] {
  const count = (mark: string): number => text.split(mark).length - 1;
  return [
    ...(/\b(undefined|null|NaN|Infinity)\b|\[object|=>|\$\{/.test(text) ? ['shows a value of the program'] : []),
    ...(/[^.]\.\.([^.]|$)|\.{4,}|,,|::|;;|[?!]\.|\.,|,\./.test(text) ? ['has a doubled mark'] : []),
    ...(/ {2}| [,.;:!?](\s|$)|\( | \)/.test(text) ? ['has a space too many'] : []),
    ...(count('“') === count('”') && count('(') === count(')') ? [] : ['has an open quote or bracket']),
    ...(/["']/.test(text) ? ['has a straight quote'] : []),
    ...(/(^|[^\d.,:])1 (?!(is|was|has|as)\b)[a-z]+[^s\W]s\b/.test(text) ? ['has a plural after 1'] : []),
    ...(text.trim() === '' ? ['is empty'] : []),
  ];
}

it('faultsOf finds what is wrong with a text, and nothing in a good one', () => {
  for (const good of [
    '1 video, 2 videos',
    'It’s “done” (1 of 2). Wait …',
    ', attempt 2',
    '1 credit is ₹1: use 1.5 h',
  ]) {
    expect(faultsOf(good), good).toEqual([]);
  }
  for (const bad of [
    'for undefined',
    'Done..',
    'a  b',
    'Sure ?',
    '“open',
    "it's",
    '1 videos',
    ' ',
    'NaN days',
    'at :: 2',
  ]) {
    expect(faultsOf(bad), bad).toHaveLength(1);
  }
});

it('the tables have texts with and without values', () => {
  expect(texts.filter(({ parameters }) => parameters === null).length).toBeGreaterThan(500);
  expect(texts.filter(({ parameters }) => parameters !== null).length).toBeGreaterThan(200);
});

it('every text without values is a good one', () => {
  const faults = texts
    .filter(({ parameters }) => parameters === null)
    .flatMap(({ name, value }) => faultsOf(String(value)).map((fault) => `${name} ${fault}: ${String(value)}`));
  expect(faults).toEqual([]);
});

describe('every text with values', () => {
  const functions = texts.filter(
    (text): text is Text & { parameters: readonly Parameter[] } => text.parameters !== null,
  );

  it('is valid for any values', () => {
    const faults = functions.flatMap((text) =>
      combinations(text.parameters.map(valuesOf)).flatMap((args) =>
        made(text, args).flatMap((one) => faultsOf(one).map((fault) => `${text.name} ${fault}: ${one}`)),
      ),
    );
    expect(faults).toEqual([]);
  });

  it('says something else for another value of each parameter', () => {
    const ignored = functions.flatMap((text) => {
      // Some texts use a value only where another one is empty.
      const lists = text.parameters.map((one) => [...valuesOf(one), ...(one.type === 'string' ? [''] : [])]);
      return text.parameters.flatMap(({ name }, nth) => {
        const rest = combinations(lists.map((list, index) => (index === nth ? [undefined] : list)));
        const matters = rest.some((args) => {
          const results = lists[nth]!.map((value) => made(text, args.with(nth, value)).join('\n'));
          return new Set(results).size > 1;
        });
        return matters ? [] : [`${text.name}: ${name}`];
      });
    });
    expect(ignored).toEqual([]);
  });
});
