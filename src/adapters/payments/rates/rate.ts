import { z } from 'zod';

import type { ExchangeRate } from '../../../ports/exchangeRates.js';

const DECIMALS = 4;
/** No rate of this currency pair is near this maximum: a rate above it has the wrong unit. */
const MAX_MICROS_PER_CENT = 1_000n * 10n ** BigInt(DECIMALS);
const RATE = /^(\d{1,4})(?:\.(\d{1,20}))?$/;
const DAY_MS = 24 * 3600 * 1000;

/** RFC 3339, or a date, which means its first moment in UTC. */
const AS_OF = z.union([z.iso.datetime({ offset: true }), z.iso.date()]);

/**
 * INR per USD as `{microsPerCent, asOf}`. Decimals after the fourth are dropped, never rounded up.
 *
 * @param rate a decimal such as `85.1234`
 * @param asOf RFC 3339 or a date
 * @throws Error if the rate is invalid: zero, negative, above 1000, or dated more than a day ahead, because such a rate
 * would never age
 */
export function parseRate(rate: string, asOf: string): ExchangeRate {
  const digits = RATE.exec(rate);
  if (digits === null) throw new Error('must be a decimal number such as 85.1234');
  const microsPerCent = BigInt(`${digits[1]}${(digits[2] ?? '').slice(0, DECIMALS).padEnd(DECIMALS, '0')}`);
  if (microsPerCent <= 0n || microsPerCent > MAX_MICROS_PER_CENT) throw new Error('must lie between 0 and 1000');
  if (!AS_OF.safeParse(asOf).success) throw new Error('needs the date at which it held, such as 2026-01-31');
  const date = new Date(asOf);
  if (date.getTime() > Date.now() + DAY_MS) throw new Error('must not be dated ahead');
  return { microsPerCent, asOf: date };
}
