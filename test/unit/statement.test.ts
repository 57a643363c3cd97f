import { describe, expect, it } from 'vitest';

import { execute, type Sql, statement } from '../../src/db/sql.js';

describe('a statement with named parameters', () => {
  it('gives each name one number, however often it is used', () => {
    const made = statement<{ id: string; title: string }, { id: string }>(
      'test',
      'update video set title = :title where id = :id and title <> :title returning id',
    );
    expect(made.text).toBe('update video set title = $1 where id = $2 and title <> $1 returning id');
    expect(made.parameters).toEqual(['title', 'id']);
  });

  it.each([
    ['a cast', 'select :a::uuid, x::text[]', 'select $1::uuid, x::text[]'],
    ['a text', `select ':a', 'it''s :b', :a`, `select ':a', 'it''s :b', $1`],
    ['a quoted name', 'select ":a", ":""b", :a', 'select ":a", ":""b", $1'],
    ['a comment', 'select :a -- :b\n/* :c\n:d */', 'select $1 -- :b\n/* :c\n:d */'],
    ['a dollar quote', 'do $$ :a $$; do $x$ :b $$ $x$; select :c', 'do $$ :a $$; do $x$ :b $$ $x$; select $1'],
    ['an operator of JSON', `select d ->> 'x:y', d #> '{:z}', d ? :key`, `select d ->> 'x:y', d #> '{:z}', d ? $1`],
    ['an assignment', 'x := 1', 'x := 1'],
    ['a slice', 'select a[1:(:last)], a[1:2]', 'select a[1:($1)], a[1:2]'],
    ['nothing', '', ''],
  ])('leaves %s unchanged', (_, text, expected) => {
    expect(statement('test', text).text).toBe(expected);
  });

  it('refuses numbers beside names, and a name that PostgreSQL would cut', () => {
    expect(() => statement('test', 'select :a, $1')).toThrow('test has $1');
    expect(() => statement('é'.repeat(32), 'select 1')).toThrow('too long');
    expect(statement('e'.repeat(63), 'select 1').name).toHaveLength(63);
  });

  it('runs with its values in order, and requires all of them', async () => {
    const asked: unknown[][] = [];
    const sql: Sql = {
      query: (_statement, values = []) => {
        asked.push([...values]);
        return Promise.resolve([]);
      },
    };
    const made = statement<{ a: number; b: string | null; c?: number }>('test', 'select :b, :a, :b');
    await execute(sql, made, { a: 1, b: null });
    expect(asked).toEqual([[null, 1]]);
    const lacking = statement<{ a?: number }>('test', 'select :a');
    expect(() => execute(sql, lacking, {})).toThrow('test was not given a');
  });
});
