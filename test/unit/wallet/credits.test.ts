import fc from '../../support/properties.js';
import { describe, expect, it } from 'vitest';

import { priceOf } from '../../../src/domain/ledger/prices.js';
import { formatCredits, parseCredits } from '../../../src/domain/ledger/credits.js';

describe('credits', () => {
  it('are unchanged when written and read back, also beyond what a double can hold', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 62n), max: 2n ** 62n }), (micros) => {
        expect(parseCredits(formatCredits(micros))).toBe(micros);
      }),
    );
  });

  it.each([
    [12_500_000n, '12.5'],
    [0n, '0'],
    [-1n, '-0.000001'],
    [3_000_000n, '3'],
    [(1n << 63n) - 1n, '9223372036854.775807'],
  ])('%s are written as %s, and read back', (micros, text) => {
    expect(formatCredits(micros)).toBe(text);
    expect(parseCredits(text)).toBe(micros);
  });

  it.each(['1.0000001', '1e3', '', ' 1', '.5', '1.', '0x10', '9999999999999999', '9223372036854.775808', 'NaN'])(
    'are refused as %j',
    (text) => expect(() => parseCredits(text)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' })),
  );
});

describe('the price', () => {
  it('is whole milliseconds times the sum of the rates, floored once', () => {
    // 20,001 ms × (1.5 + 0.5 + 0.5) credits ÷ 60,000 = 0.833375 credits exactly.
    expect(priceOf(20_001n, '720p', ['branding', 'encryption']).totalMicros).toBe(833_375n);
    expect(priceOf(1n, 'audio', []).totalMicros).toBe(4n);
    expect(priceOf(60_000n, '2160p', []).totalMicros).toBe(5_000_000n);
  });

  it('has lines that add up to the total', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 10n }), (durationMs) => {
        const { lines, totalMicros } = priceOf(durationMs, '1080p', ['branding', 'encryption']);
        expect(lines.reduce((sum, line) => sum + BigInt(line.amountMicros), 0n)).toBe(totalMicros);
      }),
    );
  });
});
