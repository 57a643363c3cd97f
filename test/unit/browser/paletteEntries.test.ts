import { expect, it } from 'vitest';

import { allEntries, allOfAmount, amountIn, kindsIn } from '../../../src/dashboard/palette/ledgerEntries.js';

it('a typed word names the kinds of ledger entries that the service searches', () => {
  expect(kindsIn('top')).toEqual(['TOPUP']);
  expect(kindsIn('refund 12.50')).toEqual(['REFUND']);
  expect(kindsIn('RETURNED twenty')).toEqual(['ESCROW_RELEASE']);
  // Two letters begin too many words, and an amount names no kind.
  expect(kindsIn('st 12.50')).toEqual([]);
  expect(kindsIn('')).toEqual([]);
});

it.each([
  ['1,000', { amount: '1000', others: '' }],
  ['−12.50', { amount: '12.5', others: '' }],
  ['processing 0.50 twenty', { amount: '0.5', others: 'processing twenty' }],
  ['12. nov', { amount: '12', others: 'nov' }],
  ['twenty 0', undefined],
  ['v2.1.0 release', undefined],
  ['0.0000001', undefined],
])('the amount in “%s” is searched in the whole ledger', (text, expected) => {
  expect(amountIn(text)).toEqual(expected);
});

it('what the palette has not searched is found in the ledger, by its filter', () => {
  expect(allEntries({ type: 'REFUND' }, 100).to).toBe('/wallet/ledger?type=REFUND');
  expect(allEntries({ amount: '12.5' }, 100).to).toBe('/wallet/ledger?amount=12.5');
  expect(allEntries({}, 100)).toMatchObject({ to: '/wallet/ledger', detail: 'newest 100 searched' });
});

it('entries of an amount that the palette does not show are found in the ledger, by the amount and the kind', () => {
  expect(allOfAmount({}, '12.5', 6)).toMatchObject({
    to: '/wallet/ledger?amount=12.5',
    label: 'Show all ledger entries of 12.50',
    detail: 'newest 6 shown',
  });
  expect(allOfAmount({ type: 'REFUND' }, '12.5', 6).to).toBe('/wallet/ledger?type=REFUND&amount=12.5');
});
