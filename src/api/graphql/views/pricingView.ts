import { videoIdOf } from '../../../domain/shared/ids.js';
import { PRICES } from '../../../domain/ledger/prices.js';
import type { BindingQuote } from '../../../domain/media/pipeline/quote.service.js';
import { QUALITIES } from '../../../ports/transcoder.js';
import type { Quality } from '../types/enums.js';
import type { PriceList, Quote } from '../types/pricing.js';

export function priceListView(): PriceList {
  return {
    processing: QUALITIES.map((quality) => ({
      quality,
      creditsPerMinute: PRICES.processingPerMinuteMicros[quality],
    })),
    addons: (['branding', 'encryption'] as const).map((addon) => ({
      addon,
      creditsPerMinute: PRICES.addonPerMinuteMicros[addon],
    })),
    storageCreditsPerGbMonth: PRICES.storagePerGbMonthMicros,
    freePlaybackTokensPerDay: PRICES.playbackTokens.freePerDay,
  };
}

export function quoteView(quote: BindingQuote): Quote {
  return {
    id: quote.id,
    videoId: videoIdOf(quote.videoId),
    quality: quote.quality,
    lines: quote.lines.map((line) => ({
      item: line.item,
      quality: line.quality as Quality,
      ratePerMinute: BigInt(line.ratePerMinuteMicros),
      amount: BigInt(line.amountMicros),
    })),
    total: quote.totalMicros,
    durationSeconds: Number(quote.durationMs) / 1000,
    expiresAt: quote.expiresAt,
    fromMaster: quote.fromMasterMicros,
    missing: quote.missingMicros,
  };
}
