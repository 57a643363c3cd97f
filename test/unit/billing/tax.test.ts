import fc from '../../support/properties.js';
import { describe, expect, it } from 'vitest';

import { isGstin } from '../../../src/domain/payments/billing/gstin.js';
import { parseTaxRates, ratesBetween, taxOf } from '../../../src/domain/payments/billing/tax.js';

const HALVES = parseTaxRates('CGST:9,SGST:9')!;

describe('isGstin', () => {
  it.each(['27AAPFU0939F1ZV', '29AAGCB7383J1Z4', '07AAACA1111A1ZU'])('accepts %s', (gstin) => {
    expect(isGstin(gstin)).toBe(true);
  });

  it.each([
    ['another check digit', '27AAPFU0939F1ZW'],
    ['two digits swapped', '27AAPFU0993F1ZV'],
    ['another state', '29AAPFU0939F1ZV'],
    ['a state that does not exist', '00AAPFU0939F1ZV'],
    ['lowercase letters', '27aapfu0939f1zv'],
    ['a missing Z', '27AAPFU0939F1AV'],
    ['a number that is too short', '27AAPFU0939F1Z'],
    ['a number that is too long', '27AAPFU0939F1ZVV'],
    ['a trailing line break', '27AAPFU0939F1ZV\n'],
    ['an empty number', ''],
  ])('refuses %s', (_, text) => {
    expect(isGstin(text)).toBe(false);
  });

  it('accepts exactly one check digit', () => {
    const all = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'.split('');
    expect(all.filter((digit) => isGstin(`27AAPFU0939F1Z${digit}`))).toEqual(['V']);
  });
});

describe('tax lines', () => {
  it.each([
    [
      'CGST:9,SGST:9',
      [
        ['CGST', 900],
        ['SGST', 900],
      ],
    ],
    ['IGST:18', [['IGST', 1800]]],
    [' Cess : 2.5', null],
    ['VAT:2.5', [['VAT', 250]]],
    ['VAT:2.05', [['VAT', 205]]],
    ['', []],
    ['CGST', null],
    ['CGST:9;SGST:9', null],
    ['CGST:-9', null],
    ['CGST:100', null],
    ['CGST:1.234', null],
    ['A:1,B:1,C:1,D:1,E:1', null],
  ])('are parsed from %j', (text, expected) => {
    expect(parseTaxRates(text)?.map(({ name, basisPoints }) => [name, basisPoints]) ?? null).toEqual(expected);
  });

  it('are rounded as the law requires', () => {
    expect(taxOf(118_000n, HALVES, true)).toMatchObject({
      taxableMinor: 100_000n,
      taxes: [{ amountMinor: 9_000n }, { amountMinor: 9_000n }],
      totalMinor: 118_000n,
    });
    expect(taxOf(50_000n, HALVES, true)).toMatchObject({
      taxableMinor: 42_372n,
      taxes: [{ amountMinor: 3_814n }, { amountMinor: 3_814n }],
    });
    expect(taxOf(50_000n, HALVES, false)).toMatchObject({ taxableMinor: 50_000n, totalMinor: 59_000n });
  });

  it('add up to the total, within half a minor unit of the exact share, for any amount and rates', () => {
    const rate = fc.record({ name: fc.constant('TAX'), basisPoints: fc.integer({ min: 0, max: 9_999 }) });
    fc.assert(
      fc.property(
        fc.bigInt({ min: 1n, max: 10n ** 15n }),
        fc.array(rate, { maxLength: 4 }),
        fc.boolean(),
        (amountMinor, rates, included) => {
          const { taxableMinor, taxes, totalMinor } = taxOf(amountMinor, rates, included);
          expect(taxes.reduce((sum, tax) => sum + tax.amountMinor, taxableMinor)).toBe(totalMinor);
          expect(included ? totalMinor : taxableMinor).toBe(amountMinor);
          const divisor = 10_000n + (included ? rates.reduce((sum, one) => sum + BigInt(one.basisPoints), 0n) : 0n);
          for (const tax of taxes) {
            const error = tax.amountMinor * divisor - amountMinor * BigInt(tax.basisPoints);
            expect(2n * (error < 0n ? -error : error)).toBeLessThanOrEqual(divisor);
          }
        },
      ),
    );
  });

  it.each([
    ['the same state', { country: 'IN', stateCode: '29' }, 'CGST:900,SGST:900'],
    ['another state', { country: 'IN', stateCode: '27' }, 'IGST:1800'],
    ['another country', { country: 'DE', stateCode: null }, 'IGST:1800'],
    ['an unknown state', { country: 'IN', stateCode: null }, 'CGST:900,SGST:900'],
  ])('are those for a buyer in %s', (_, buyer, expected) => {
    const rates = ratesBetween(HALVES, { stateCode: '29' }, buyer);
    expect(rates.map(({ name, basisPoints }) => `${name}:${basisPoints}`).join()).toBe(expected);
  });
});
