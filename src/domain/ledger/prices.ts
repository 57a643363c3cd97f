import { MICROS_PER_CREDIT } from './credits.js';
import type { Quality } from '../../ports/transcoder.js';

export type Addon = 'branding' | 'encryption';

/** One line of a quote, as shown. Micro-credits are decimal text because JSON has no bigint. */
export interface QuoteLine {
  readonly item: 'processing' | Addon;
  readonly quality: string;
  readonly ratePerMinuteMicros: string;
  readonly amountMicros: string;
}

/**
 * The price list (spec section 1), the only source for quotes, GraphQL and the dashboard. Rates are micro-credits per
 * minute; storage is micro-credits per GB (10^9 bytes) and month.
 */
export const PRICES = {
  processingPerMinuteMicros: {
    audio: MICROS_PER_CREDIT / 4n,
    '480p': MICROS_PER_CREDIT,
    '720p': (MICROS_PER_CREDIT * 3n) / 2n,
    '1080p': MICROS_PER_CREDIT * 2n,
    '1440p': (MICROS_PER_CREDIT * 7n) / 2n,
    '2160p': MICROS_PER_CREDIT * 5n,
  } satisfies Record<Quality, bigint>,
  addonPerMinuteMicros: {
    branding: MICROS_PER_CREDIT / 2n,
    encryption: MICROS_PER_CREDIT / 2n,
  } satisfies Record<Addon, bigint>,
  storagePerGbMonthMicros: (MICROS_PER_CREDIT * 3n) / 2n,
  playbackTokens: {
    freePerDay: 1000,
    /** Published but not sold yet: until it ships, the token after the last free one is a 429. */
    paidPerThousandMicros: MICROS_PER_CREDIT / 2n,
    paidAvailable: false,
  },
} as const;

const MS_PER_MINUTE = 60_000n;

export interface Price {
  readonly lines: QuoteLine[];
  readonly totalMicros: bigint;
}

/**
 * The exact price of processing: whole milliseconds × the sum of the rates ÷ 60,000, rounded down to the micro-credit
 * once, on the total. The first line carries the rounding difference, so the lines add up to the total.
 */
export function priceOf(durationMs: bigint, quality: Quality, addons: readonly Addon[]): Price {
  const rates = [
    { item: 'processing' as const, rateMicros: PRICES.processingPerMinuteMicros[quality] },
    ...addons.map((addon) => ({ item: addon, rateMicros: PRICES.addonPerMinuteMicros[addon] })),
  ];
  const totalMicros = (durationMs * rates.reduce((sum, rate) => sum + rate.rateMicros, 0n)) / MS_PER_MINUTE;
  const amounts = rates.map(({ rateMicros }) => (durationMs * rateMicros) / MS_PER_MINUTE);
  const carried = totalMicros - amounts.reduce((sum, amount) => sum + amount, 0n);
  const lines = rates.map(({ item, rateMicros }, index) => ({
    item,
    quality,
    ratePerMinuteMicros: rateMicros.toString(),
    amountMicros: (amounts[index]! + (index === 0 ? carried : 0n)).toString(),
  }));
  return { lines, totalMicros };
}
