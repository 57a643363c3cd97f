import { describe, expect, it } from 'vitest';

import { showCredits, showPerMonth, toCredits, toHundredths, toMicros } from '../../../src/dashboard/lib/credits.js';

describe('credits in the browser', () => {
  it.each([
    ['12.5', 12_500_000n],
    ['0.000001', 1n],
    ['-3', -3_000_000n],
    [' 7. ', 7_000_000n],
    // More than a float can hold exactly.
    ['9007199254740.993001', 9_007_199_254_740_993_001n],
  ])('are parsed from %j', (text, micros) => {
    expect(toMicros(text)).toBe(micros);
  });

  it.each(['', '1e5', '0.0000001', '1,000', '--1', '0x10', 'NaN'])('are refused from %j', (text) => {
    expect(toMicros(text)).toBeUndefined();
  });

  it.each([12_500_000n, -1n, 0n, 9_007_199_254_740_993_001n])(
    'are written from %d as the service reads them',
    (micros) => {
      expect(toMicros(toCredits(micros))).toBe(micros);
    },
  );

  it('are shown with thousands separators and at least two decimals, without rounding', () => {
    expect(showCredits('1234567.5')).toBe('1,234,567.50');
    expect(showCredits('0.000001')).toBe('0.000001');
    expect(showCredits('-0.5')).toBe('−0.50');
    expect(showCredits('100')).toBe('100.00');
  });

  it.each([
    ['524.483334', '524.48'],
    ['0.009999', '0'],
    ['12', '12'],
    ['-7.5', '-7.5'],
    ['-0.000001', '-0.01'],
  ])('are cut from %s to %s: never above a balance, never below a debt', (credits, cut) => {
    expect(toHundredths(credits)).toBe(cut);
  });
});

describe('showPerMonth', () => {
  it.each([
    ['0.0015', '≈ 0.05'],
    ['0.000666', '≈ 0.02'],
    ['0.000166', '< 0.01'],
    ['0', '< 0.01'],
    ['0.05', '≈ 1.50'],
    ['41.666667', '≈ 1,250.00'],
  ])('shows %s credits per day as %s a month', (perDay, shown) => {
    expect(showPerMonth(perDay)).toBe(shown);
  });
});
