import { expect, it } from 'vitest';

import type { Sql } from '../../src/db/sql.js';
import { MovedClocks } from '../../src/domain/accounts/testMode/movedClocks.js';

interface Row {
  readonly is_test: boolean;
  readonly moved_seconds: number;
}

/** Statements that return when the test says so. */
function heldClocks() {
  const asked: PromiseWithResolvers<Row[]>[] = [];
  const sql = {
    query: () => {
      const answer = Promise.withResolvers<Row[]>();
      asked.push(answer);
      return answer.promise;
    },
  } as unknown as Sql;
  return { asked, clocks: new MovedClocks(sql) };
}

it('reports of one account that come at the same time share a statement, and those of another do not wait for it', async () => {
  const { asked, clocks } = heldClocks();
  const answers = Promise.all(['a', 'a', 'b', 'a'].map((account) => clocks.movedSeconds(account)));
  expect(asked).toHaveLength(2);
  asked[0]!.resolve([{ is_test: true, moved_seconds: 60 }]);
  asked[1]!.resolve([{ is_test: false, moved_seconds: 0 }]);
  expect(await answers).toEqual([60, 60, 0, 60]);
});

it('the clock of a test account is read again for later reports, and that of a live account is not', async () => {
  const { asked, clocks } = heldClocks();
  const first = clocks.movedSeconds('test');
  asked[0]!.resolve([{ is_test: true, moved_seconds: 60 }]);
  expect(await first).toBe(60);
  const second = clocks.movedSeconds('test');
  asked[1]!.resolve([{ is_test: true, moved_seconds: 90 }]);
  expect(await second).toBe(90);
  const live = clocks.movedSeconds('live');
  asked[2]!.resolve([{ is_test: false, moved_seconds: 0 }]);
  expect([await live, await clocks.movedSeconds('live')]).toEqual([0, 0]);
  expect(asked).toHaveLength(3);
});

it('a statement that fails is not shared with later reports', async () => {
  const { asked, clocks } = heldClocks();
  const both = Promise.allSettled([clocks.movedSeconds('a'), clocks.movedSeconds('a')]);
  asked[0]!.reject(new Error('refused'));
  expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  const later = clocks.movedSeconds('a');
  asked[1]!.resolve([{ is_test: true, moved_seconds: 5 }]);
  expect(await later).toBe(5);
});
