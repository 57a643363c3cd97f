import { describe, expect, it } from 'vitest';

import { undoOf } from '../../../src/dashboard/videos/tagChanges.js';

const videos = [
  { id: 'a', tags: ['sea', 'old'] },
  { id: 'b', tags: ['old'] },
  { id: 'c', tags: ['sea', 'old'] },
  { id: 'd', tags: ['sea'] },
  { id: 'e', tags: [] },
];

describe('undoing a change of tags', () => {
  it('gives each video back what it lost, and takes away only what it gained', () => {
    const undo = undoOf(videos, new Set(['a', 'b', 'c', 'd']), { add: ['sea'], remove: ['old'] });
    expect(undo).toEqual([
      { ids: ['a', 'c'], add: ['old'], remove: [] },
      { ids: ['b'], add: ['old'], remove: ['sea'] },
    ]);
  });

  it('has nothing to do where nothing changed', () => {
    expect(undoOf(videos, new Set(), { add: ['sea'], remove: [] })).toEqual([]);
    expect(undoOf(videos, new Set(['d']), { add: ['sea'], remove: ['sea'] })).toEqual([]);
  });
});
