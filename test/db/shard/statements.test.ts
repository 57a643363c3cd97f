import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { beforeAll, describe, expect, it, vi } from 'vitest';

import type * as SqlModule from '../../../src/db/sql.js';
import type { TypedStatement } from '../../../src/db/sql.js';
import { classOf, type Class, tablesByPlace } from './classes.js';
import { BY_HAND, CROSSING, PLAIN } from './crossing.js';

type Recorded = Pick<TypedStatement<Record<string, unknown>, object>, 'name' | 'text' | 'parameters'>;

/** All statements that are made when their modules load. */
const recorded = vi.hoisted(() => new Map<string, { name: string; text: string; parameters: readonly string[] }>());

vi.mock('../../../src/db/sql.js', async (original) => {
  const sql = await original<typeof SqlModule>();
  const record = (name: string, text: string): Recorded => {
    const made = sql.statement<Record<string, unknown>, object>(name, text);
    // One without a name is known by its first words.
    const known = name === '' ? `unnamed: ${text.trim().split(/\s+/).slice(0, 3).join(' ')}` : name;
    recorded.set(known, { ...made, name: known });
    return made;
  };
  return { ...sql, statement: record };
});

const SRC = join(import.meta.dirname, '../../../src');
const LIST = join(import.meta.dirname, 'statements.txt');

/** Modules with statements; the doctor and the verification make theirs when they are asked. */
const MODULES = globSync('{domain,adapters,db}/**/*.ts', { cwd: SRC })
  .filter((file) => /\bstatement(<|\()|: Statement = \{/.test(readFileSync(join(SRC, file), 'utf8')))
  .filter((file) => file !== 'db/sql.ts')
  .toSorted();

/** The names of plain statements `{ name, text }`, as the source has them. */
const PLAIN_NAMES = MODULES.flatMap((file) =>
  [...readFileSync(join(SRC, file), 'utf8').matchAll(/: Statement = \{\s*name: '([^']+)'/g)].map(
    ([, name = '']) => name,
  ),
);

describe('on several shards, by account', () => {
  let classes: Map<string, Class>;

  beforeAll(async () => {
    for (const file of MODULES) await import(join(SRC, file));
    classes = new Map(
      [...recorded.values()].map(({ name, text, parameters }) => [name, BY_HAND[name] ?? classOf(text, parameters)]),
    );
  });

  it('every table has its place', () => {
    expect(tablesByPlace().unplaced).toEqual([]);
  });

  it('every plain statement is listed by hand', () => {
    expect(Object.keys(PLAIN).toSorted()).toEqual(PLAIN_NAMES.toSorted());
  });

  it('every statement is known: those of one shard, those of reference tables, and those that cross shards', async () => {
    const plain = Object.entries(PLAIN).map(([name, { place }]) => `${place} ${name}`);
    const lines = [...[...classes].map(([name, place]) => `${place} ${name}`), ...plain].toSorted();
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(LIST);
  });

  it('every statement that crosses shards says why', () => {
    const crossing = [...classes].filter(([, place]) => place === 'crossing').map(([name]) => name);
    const unexplained = crossing.filter((name) => !CROSSING.some(({ names }) => names.test(name)));
    expect(unexplained).toEqual([]);
    const unused = CROSSING.filter(({ names }) => !crossing.some((name) => names.test(name)));
    expect(unused).toEqual([]);
  });
});
