import { join } from 'node:path';

import { beforeAll, describe, expect, it, vi } from 'vitest';

import type * as SqlModule from '../../../src/db/sql.js';
import { loadStatements, recordedStatements } from '../../support/statements/recorded.js';
import { classOf, type Class, tablesByPlace } from './classes.js';
import { BY_HAND, CROSSING } from './crossing.js';

vi.mock('../../../src/db/sql.js', async (original) => {
  const { recording } = await import('../../support/statements/recorded.js');
  return recording(await original<typeof SqlModule>());
});

const LIST = join(import.meta.dirname, 'statements.txt');

describe('on several shards, by account', () => {
  let classes: Map<string, Class>;

  beforeAll(async () => {
    await loadStatements();
    classes = new Map(
      recordedStatements().map((statement) => {
        const name = knownName(statement);
        return [name, BY_HAND[name] ?? classOf(statement.text, statement.parameters)];
      }),
    );
  });

  it('every table has its place', () => {
    expect(tablesByPlace().unplaced).toEqual([]);
  });

  it('every statement whose place is given by hand exists', () => {
    expect(Object.keys(BY_HAND).filter((name) => !classes.has(name))).toEqual([]);
  });

  it('every statement is known: those of one shard, those of reference tables, and those that cross shards', async () => {
    const lines = [...classes].map(([name, place]) => `${place} ${name}`).toSorted();
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

/** A statement without a name is known by its first words. */
function knownName({ name, text }: { readonly name: string; readonly text: string }): string {
  return name === '' ? `unnamed: ${text.trim().split(/\s+/).slice(0, 3).join(' ')}` : name;
}
