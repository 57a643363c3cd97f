import { PRICES, type Addon } from '../../domain/processing/prices.js';
import { QUALITIES } from '../../ports/transcoder.js';
import type { PriceList } from '../types/pricing.js';

/** Rates and quote lines exist; what would make the pictures does not yet. */
const AVAILABLE_ADDONS: ReadonlySet<Addon> = new Set();

export function priceListView(): PriceList {
  return {
    processing: QUALITIES.map((quality) => ({
      quality,
      creditsPerMinute: PRICES.processingPerMinuteMicros[quality],
    })),
    addons: (['branding', 'encryption'] as const).map((addon) => ({
      addon,
      creditsPerMinute: PRICES.addonPerMinuteMicros[addon],
      available: AVAILABLE_ADDONS.has(addon),
    })),
    storageCreditsPerGbMonth: PRICES.storagePerGbMonthMicros,
    freePlaybackTokensPerDay: PRICES.playbackTokens.freePerDay,
  };
}
