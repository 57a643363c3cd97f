import { describe, expect, it } from 'vitest';

import { chosenOf, refuseNewerRelease } from '../../../src/cli/backup/findSnapshot.js';
import { migrations } from '../../../src/db/migrations/index.js';
import { REPLACED } from '../../../src/db/migrations/replaced.js';

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

describe('the migrations of a snapshot', () => {
  const names = migrations.map(({ name }) => name);

  it('may be those of this release, and those that the baseline replaced', () => {
    expect(() => refuseNewerRelease({ migrations: names })).not.toThrow();
    expect(() => refuseNewerRelease({ migrations: [...REPLACED, ...names] })).not.toThrow();
    expect(() => refuseNewerRelease({ migrations: REPLACED })).not.toThrow();
  });

  it('are refused if a later release made them', () => {
    expect(() => refuseNewerRelease({ migrations: [...names, 'Migration9999Later'] })).toThrow(
      'The backup is of a later release of Dhara (with Migration9999Later). Restore it with that release.',
    );
  });
});
