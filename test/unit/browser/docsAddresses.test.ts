import { expect, it } from 'vitest';

import { movedPath } from '../../../src/dashboard/docs/addresses.js';
import { ALL_CHAPTERS } from '../../../src/dashboard/docs/contents.js';

it('leads from each anchor of the page that had all chapters to the page of its chapter', () => {
  for (const { id, path } of ALL_CHAPTERS) {
    const moved = path === '/docs' ? undefined : path;
    for (const anchor of [`#${id}`, `#${id}-any-part`]) {
      expect(movedPath('/docs', anchor)).toBe(moved);
      expect(movedPath('/docs/', anchor)).toBe(moved);
      expect(movedPath('/docs/player', anchor)).toBeUndefined();
    }
  }
  expect(movedPath('/docs', '')).toBeUndefined();
  expect(movedPath('/docs', '#moneybox')).toBeUndefined();
});
