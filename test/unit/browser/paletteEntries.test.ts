import { expect, it } from 'vitest';

import { allEntries, kindsIn } from '../../../src/dashboard/palette/ledgerEntries.js';

it('a typed word names the kinds of ledger entries that the service searches', () => {
  expect(kindsIn('top')).toEqual(['TOPUP']);
  expect(kindsIn('refund 12.50')).toEqual(['REFUND']);
  expect(kindsIn('RETURNED twenty')).toEqual(['ESCROW_RELEASE']);
  // Two letters begin too many words, and an amount names no kind.
  expect(kindsIn('st 12.50')).toEqual([]);
  expect(kindsIn('')).toEqual([]);
});

it('what the palette has not searched is found in the ledger, by its filter if one kind is named', () => {
  expect(allEntries(['REFUND'], 100).to).toBe('/wallet/ledger?type=REFUND');
  expect(allEntries(['ESCROW_LOCK', 'ESCROW_SETTLE'], 100).to).toBe('/wallet/ledger');
  expect(allEntries([], 100)).toMatchObject({ to: '/wallet/ledger', detail: 'newest 100 searched' });
});
