import { describe, expect, it } from 'vitest';

import { showAbout } from '../../../src/dashboard/lib/credits.js';
import { estimateMicros } from '../../../src/dashboard/upload/fileFacts.js';
import type { Choice, PriceList } from '../../../src/dashboard/processing/choice.js';
import { capQuality, sourceQuality } from '../../../src/domain/media/pipeline/ladder.js';
import { priceOf } from '../../../src/domain/ledger/prices.js';
import { QUALITIES, type SourceProbe } from '../../../src/ports/transcoder.js';

const RATES = { audio: '0.25', '480p': '1', '720p': '1.5', '1080p': '2', '1440p': '3.5', '2160p': '5' } as const;
const asEnum = (quality: keyof typeof RATES) =>
  quality === 'audio' ? 'AUDIO' : (`P${quality.slice(0, -1)}` as Choice['quality']);

const prices = {
  processing: QUALITIES.map((quality) => ({ quality: asEnum(quality), creditsPerMinute: RATES[quality] })),
  addons: [
    { addon: 'BRANDING', creditsPerMinute: '0.5' },
    { addon: 'ENCRYPTION', creditsPerMinute: '0.5' },
  ],
} as unknown as PriceList;

const SIZES = [
  [0, 0],
  [320, 240],
  [640, 360],
  [1279, 719],
  [1280, 534],
  [1280, 720],
  [720, 1280],
  [1920, 800],
  [1918, 1078],
  [2560, 1440],
  [3840, 1606],
  [2160, 3840],
] as const;

describe('the price before the upload', () => {
  it.each(SIZES)('is the one that the service quotes after it, for a picture of %d × %d', (width, height) => {
    for (const wished of QUALITIES) {
      const choice = { quality: asEnum(wished), branding: false, encryption: true, normalizeLoudness: false };
      const video = width === 0 ? null : { displayWidth: width, displayHeight: height };
      const charged = capQuality(wished, sourceQuality({ video } as SourceProbe));
      const { totalMicros } = priceOf(61_234n, charged, ['encryption']);
      expect(estimateMicros(choice, { durationSeconds: 61.234, width, height }, prices)).toBe(totalMicros);
    }
  });

  it('is shown in hundredths, and never as nothing', () => {
    expect([0n, 1n, 14_999n, 15_000n].map(showAbout)).toEqual(['0.00', '0.01', '0.01', '0.02']);
  });
});
