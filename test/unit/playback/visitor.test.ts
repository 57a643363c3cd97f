import { describe, expect, it } from 'vitest';

import { countryOf, userAgentOf } from '../../../src/domain/playback/analytics/visitor.js';
import {
  fineStartupBucketOf,
  startupBucketOf,
  startupPercentile,
  startupPlaces,
} from '../../../src/domain/playback/analytics/startupBuckets.js';

const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)';

describe('a user agent', () => {
  it.each([
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/142.0.0.0 Safari/537.36`, 'Chrome', 'Desktop'],
    [`Mozilla/5.0 (Windows NT 10.0) ${WEBKIT} Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0`, 'Edge', 'Desktop'],
    [`Mozilla/5.0 (X11; Linux x86_64) ${WEBKIT} Chrome/142.0.0.0 Safari/537.36 OPR/116.0`, 'Opera', 'Desktop'],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0', 'Firefox', 'Desktop'],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18.1 Safari/605.1.15',
      'Safari',
      'Desktop',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 CriOS/142 Mobile/15E148 Safari/604.1',
      'Chrome',
      'Phone',
    ],
    [
      'Mozilla/5.0 (iPad; CPU OS 18_1 like Mac OS X) AppleWebKit/605.1.15 Version/18.1 Mobile/15E148 Safari/604.1',
      'Safari',
      'Tablet',
    ],
    [
      `Mozilla/5.0 (Linux; Android 15; SM-S921B) ${WEBKIT} SamsungBrowser/28.0 Chrome/130.0 Mobile Safari/537.36`,
      'Samsung Internet',
      'Phone',
    ],
    [`Mozilla/5.0 (Linux; Android 15; Pixel Tablet) ${WEBKIT} Chrome/142.0.0.0 Safari/537.36`, 'Chrome', 'Tablet'],
    [`Mozilla/5.0 (Web0S; Linux/SmartTV) ${WEBKIT} Chrome/94.0 Safari/537.36`, 'Chrome', 'TV'],
    ['AppleCoreMedia/1.0.0.22B83 (iPhone; U; CPU OS 18_1 like Mac OS X; en_us)', 'Safari', 'Phone'],
    [
      `Mozilla/5.0 (Linux; Android 13; CUBOT NOTE 20) ${WEBKIT} Chrome/142.0.0.0 Mobile Safari/537.36`,
      'Chrome',
      'Phone',
    ],
    [
      `Mozilla/5.0 (Linux; Android 15; Pixel 9) ${WEBKIT} Chrome/142.0.0.0 Mobile Safari/537.36 [Pinterest/Android]`,
      'Chrome',
      'Phone',
    ],
    ['okhttp/4.12.0', 'Other', 'Other'],
    [undefined, 'Other', 'Other'],
  ])('%s is %s on a %s', (header, browser, device) => {
    expect(userAgentOf(header)).toEqual({ browser, device, isBot: false });
  });

  it.each([
    'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
    'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
    'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
    'TelegramBot (like TwitterBot)',
    'WhatsApp/2.23.20.0',
    `Mozilla/5.0 (X11; Linux x86_64) ${WEBKIT} HeadlessChrome/142.0.0.0 Safari/537.36`,
    'curl/8.5.0',
    'node',
    'Deno/2.1.4',
    'Bun/1.2.0',
    'Ruby',
    'GuzzleHttp/7',
    'Mozilla/5.0 (Windows NT; Windows NT 10.0; en-US) WindowsPowerShell/5.1.19041.1',
    'python-requests/2.32.3',
    'Python-urllib/3.13',
    'Python/3.13 aiohttp/3.11.0',
    'Go-http-client/1.1',
    'Java/21.0.5',
    'axios/1.7.7',
    'Mediapartners-Google',
    'Mozilla/5.0 (compatible; Google-InspectionTool/1.0;)',
  ])('%s is a bot', (header) => {
    expect(userAgentOf(header).isBot).toBe(true);
  });

  it('is read up to a limit', () => {
    expect(userAgentOf(`${'x'.repeat(512)}Googlebot`)).toEqual({ browser: 'Other', device: 'Other', isBot: false });
  });
});

describe('a country', () => {
  it.each([
    ['DE', 'DE'],
    [' in ', 'IN'],
    ['XX', ''],
    ['T1', ''],
    ['Germany', ''],
    ['', ''],
    [undefined, ''],
  ])('%s is read as %j', (header, country) => {
    expect(countryOf(header)).toBe(country);
  });
});

describe('a percentile of startup times', () => {
  const counted = (buckets: readonly number[]): number[] => {
    const counts = Array<number>(Math.max(-1, ...buckets) + 1).fill(0);
    for (const bucket of buckets) counts[bucket]! += 1;
    return counts;
  };
  const coarse = (times: readonly number[]) => counted(times.map(startupBucketOf));
  const fine = (times: readonly number[]) => counted(times.map(fineStartupBucketOf));
  const errorOf = (found: number | null, ms: number) => Math.abs(found! - ms) / ms;

  it('is right within 1 % in a fine histogram, and within 2 % in a coarse one', () => {
    for (let ms = 60; ms < 100_000; ms = Math.ceil(ms * 1.003)) {
      const rounding = 0.5 / ms;
      expect(errorOf(startupPercentile(startupPlaces(coarse([ms]), fine([ms])), 0.5), ms)).toBeLessThan(
        0.01 + rounding,
      );
      expect(errorOf(startupPercentile(startupPlaces(coarse([ms])), 0.5), ms)).toBeLessThan(0.02 + rounding);
    }
  });

  it('is that of the sorted times', () => {
    const times = Array.from({ length: 1_000 }, (_, n) => 100 + n);
    const places = startupPlaces(coarse(times), fine(times));
    expect(errorOf(startupPercentile(places, 0.5), 600)).toBeLessThan(0.012);
    expect(errorOf(startupPercentile(places, 0.95), 1_050)).toBeLessThan(0.012);
    expect(startupPercentile([], 0.5)).toBeNull();
  });

  it('counts plays that are older than the fine histogram, each play once and in order', () => {
    const [before, since] = [
      [30, 400, 900, 900, 5_000],
      [10, 380, 905, 2_000, 6_000, 7_000],
    ];
    const places = startupPlaces(coarse([...before, ...since]), fine(since));
    const sorted = [...before, ...since].toSorted((a, b) => a - b);
    expect(places.reduce((sum, plays) => sum + plays, 0)).toBe(sorted.length);
    for (const [at, ms] of sorted.entries()) {
      // The first bucket is all that is at most 50 ms.
      const found = startupPercentile(places, (at + 1) / sorted.length);
      if (ms <= 50) expect(found).toBe(25);
      else expect(errorOf(found, ms), `${found} for ${ms}`).toBeLessThan(0.03);
    }
  });

  it('has a bucket for every time, and each coarse bucket is two fine ones', () => {
    expect(startupBucketOf(0)).toBe(0);
    expect(startupBucketOf(2_000_000_000)).toBe(199);
    for (let ms = 0; ms < 200_000; ms += 7) {
      expect(startupBucketOf(ms)).toBe(Math.ceil(fineStartupBucketOf(ms) / 2));
    }
  });
});
