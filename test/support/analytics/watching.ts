import { randomUUID } from 'node:crypto';

import type { Database } from '../../../src/db/sql.js';
import type { Measured } from '../../../src/domain/playback/analytics/report.js';
import { ViewRecorder } from '../../../src/domain/playback/analytics/viewRecorder.js';
import type { Exchange, WrittenView } from '../../../src/domain/playback/analytics/writeViews.js';

export const CHROME =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';
export const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1';
export const GOOGLEBOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';

export const DURATION_MS = 100_000;

/** A recorder that throws what it could not write, with `more` instead of its own options. */
export function recorderOf(
  db: Database,
  visitorKey: Buffer,
  more: Partial<ConstructorParameters<typeof ViewRecorder>[0]> = {},
): ViewRecorder {
  return new ViewRecorder({
    db,
    visitorKey,
    onError: (error) => {
      throw error;
    },
    ...more,
  });
}

/** A view of a video of 100 seconds, by Chrome in Germany, unless said otherwise. */
export function exchange(
  given: Partial<Exchange> &
    Pick<Exchange, 'accountId' | 'videoId'> & { userAgent?: string; address?: string; country?: string },
): Exchange {
  const { userAgent = CHROME, address = '203.0.113.7', country = 'DE', ...rest } = given;
  return {
    viewId: randomUUID(),
    keyId: '00000000-0000-4000-8000-000000000001',
    mintedAtEpochSeconds: Math.floor(Date.now() / 1_000) - 3_600,
    exchangedAtEpochSeconds: Date.now() / 1_000 - 3_590,
    testClockSeconds: null,
    durationMs: DURATION_MS,
    visitor: { address, userAgent, country },
    ...rest,
  };
}

/** A view as it was written, by Chrome in no known country, unless said otherwise. */
export function writtenView(given: Partial<WrittenView> = {}): WrittenView {
  return {
    accountId: randomUUID(),
    viewId: randomUUID(),
    videoId: randomUUID(),
    keyId: null,
    mintedAtEpochSeconds: 1_773_491_400,
    audience: 'viewer',
    durationMs: DURATION_MS,
    country: '',
    browser: 'Chrome',
    device: 'Desktop',
    measured: measured(),
    ...given,
  };
}

/** A first report: the first frame came after 800 ms. */
export function measured(given: Partial<Measured> = {}): Measured {
  return {
    seq: 1,
    startupMs: 800,
    watchedMs: 0,
    stalledMs: 0,
    stalls: 0,
    switches: 0,
    ranges: [],
    errors: [],
    ended: false,
    ...given,
  };
}
