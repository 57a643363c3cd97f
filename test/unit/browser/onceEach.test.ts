import { expect, it } from 'vitest';

import { onceEach } from '../../../src/dashboard/parts/usePages.js';

it('a row that comes on two pages of a list is shown once, where it came first', () => {
  const rows = ['a', 'b', 'c', 'b', 'd', 'a'].map((id, place) => ({ id, place }));
  expect(onceEach(rows)).toEqual([
    { id: 'a', place: 0 },
    { id: 'b', place: 1 },
    { id: 'c', place: 2 },
    { id: 'd', place: 4 },
  ]);
});
