import { describe, expect, it } from 'vitest';

import { chosenOf } from '../../../src/cli/backup/findSnapshot.js';

const MONDAY = { id: `aa11${'0'.repeat(60)}`, takenAt: new Date('2026-11-23T10:00:00Z') };
const TUESDAY = { id: `aa22${'0'.repeat(60)}`, takenAt: new Date('2026-11-24T10:00:00Z') };
const BOTH = [MONDAY, TUESDAY];

describe('the snapshot that is restored', () => {
  it('is the newest, or the newest that is not after a time', () => {
    expect(chosenOf(BOTH, { notAfter: null })).toBe(TUESDAY);
    expect(chosenOf(BOTH, { notAfter: new Date('2026-11-24T10:00:00Z') })).toBe(TUESDAY);
    expect(chosenOf(BOTH, { notAfter: new Date('2026-11-24T09:59:59.999Z') })).toBe(MONDAY);
  });

  it('is the one with the id, if only one begins so', () => {
    expect(chosenOf(BOTH, { id: 'aa11' })).toBe(MONDAY);
    expect(() => chosenOf(BOTH, { id: 'aa' })).toThrow(
      'More than one backup has the id aa. The repository has aa110000 of',
    );
  });

  it('is refused with a list of what there is', () => {
    const early = { notAfter: new Date('2026-11-22T00:00:00Z') };
    expect(() => chosenOf(BOTH, early)).toThrow(
      'No backup is as old as 2026-11-22T00:00:00.000Z. The repository has aa110000 of 2026-11-23T10:00:00.000Z, aa220000',
    );
    expect(() => chosenOf([], { notAfter: null })).toThrow('The repository has no complete backup.');
    expect(() => chosenOf(BOTH, { id: 'bbbb' })).toThrow('No backup has the id bbbb');
  });
});
