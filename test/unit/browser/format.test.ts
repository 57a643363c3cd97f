import { describe, expect, it } from 'vitest';

import { creditsFor, minorFor, showMoney, toAmount, toMinor } from '../../../src/dashboard/lib/amounts.js';
import { shownLabels, ticksBetween } from '../../../src/dashboard/charts/scale.js';
import {
  showAge,
  showBitrate,
  showBytes,
  showCompact,
  showDuration,
  showNumber,
  showTimeLeft,
} from '../../../src/dashboard/lib/format.js';
import { daysBack, lastDays, lastMonths, nameDay, nameMonth, today } from '../../../src/dashboard/lib/utcDays.js';
import { sayRunway, showRunway } from '../../../src/dashboard/lib/runway.js';
import { showUserAgent } from '../../../src/dashboard/settings/userAgent.js';

describe('numbers and times for people', () => {
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1_000, '1.0 KB'],
    [9_949, '9.9 KB'],
    [12_345, '12 KB'],
    [999_499, '999 KB'],
    [999_500, '1.0 MB'],
    [1_400_000_000, '1.4 GB'],
    [5e15, '5000 TB'],
  ])('%d bytes are %s', (bytes, text) => {
    expect(showBytes(bytes)).toBe(text);
  });

  it.each([
    [0, '0:00'],
    [59.9, '0:59'],
    [61, '1:01'],
    [3_729, '1:02:09'],
    [360_000, '100:00:00'],
  ])('%d seconds are %s', (seconds, text) => {
    expect(showDuration(seconds)).toBe(text);
  });

  it.each([
    [4.9, 'a few seconds left'],
    [12, 'about 10 s left'],
    [90, 'about 2 min left'],
    [5_399, 'about 90 min left'],
    [5_400, 'about 2 h left'],
  ])('%d seconds are still %s', (seconds, text) => {
    expect(showTimeLeft(seconds)).toBe(text);
  });

  it('ages are relative within a week, and dates after that', () => {
    const now = Date.parse('2026-05-20T12:00:00Z');
    const ago = (seconds: number) => showAge(new Date(now - seconds * 1_000).toISOString(), now);
    expect([-5, 44].map(ago)).toEqual(['just now', 'just now']);
    expect([45, 300, 3_500].map(ago)).toEqual(['1 minute ago', '5 minutes ago', '58 minutes ago']);
    expect([3_600, 7_200].map(ago)).toEqual(['1 hour ago', '2 hours ago']);
    expect([86_400, 6 * 86_400].map(ago)).toEqual(['yesterday', '6 days ago']);
    expect(ago(7 * 86_400)).toContain('2026');
  });

  it('large numbers are grouped, and short on the axis of a chart', () => {
    expect(showNumber(1_234_567)).toBe('1,234,567');
    expect(showCompact(12_500)).toBe('12.5K');
    expect([800, 128_400, 5_240_000].map(showBitrate)).toEqual(['1 kbit/s', '128 kbit/s', '5.2 Mbit/s']);
  });

  it('days and months are counted in UTC, and end today', () => {
    const days = lastDays(400);
    expect([days.length, days.at(-1), days.at(-2)]).toEqual([400, today(), daysBack(1)]);
    expect(new Set(days).size).toBe(400);
    const months = lastMonths(14);
    expect(months.at(-1)).toBe(`${today().slice(0, 7)}-01`);
    expect(months.every((month) => month.endsWith('-01'))).toBe(true);
    expect(new Set(months.map((month) => month.slice(5, 7))).size).toBe(12);
    expect(nameMonth('2026-03')).toBe('March 2026');
    expect(nameDay('2026-03-01')).toBe('Mar 1, 2026');
  });

  it.each([
    [null, 'Nothing is stored yet'],
    [0, 'Storage isn’t funded beyond today'],
    [1, 'Storage is funded for 1 day at today’s usage'],
    [400, 'Storage is funded for 400 days at today’s usage'],
    [401, 'Storage is funded for 1 year at today’s usage'],
    [36_500, 'Storage is funded for 100+ years at today’s usage'],
  ])('a runway of %s days is: %s', (days, text) => {
    expect(sayRunway(days)).toBe(text);
  });

  it.each([
    [null, '–'],
    [0, '0 days'],
    [1, '1 day'],
    [400, '400 days'],
    [730, '2 years'],
    [36_500, '100+ years'],
  ])('a runway of %s days is, as a figure: %s', (days, text) => {
    expect(showRunway(days)).toBe(text);
  });

  it.each([
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0',
      'Edge on Windows',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1 Version/18.0 Safari/604.1',
      'Safari on iPhone',
    ],
    ['Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36', 'Chrome on Android'],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0', 'Firefox on Linux'],
    ['curl/8.5.0', 'curl'],
    ['', 'Unknown browser'],
    [null, 'Unknown browser'],
  ])('the user agent %j is %s', (userAgent, name) => {
    expect(showUserAgent(userAgent)).toBe(name);
  });
});

describe('amounts of money', () => {
  it.each([
    ['499.5', 49_950n],
    [' 10 ', 1_000n],
    ['0.01', 1n],
    ['7.', 700n],
  ])('are parsed from %j', (text, minor) => {
    expect(toMinor(text)).toBe(minor);
    expect(toMinor(toAmount(minor))).toBe(minor);
  });

  it.each(['', '.5', '1.234', '1,000', '-1', '1e3', '1234567890123'])('are refused from %j', (text) => {
    expect(toMinor(text)).toBeUndefined();
  });

  it('are shown in the format of their currency', () => {
    expect(showMoney('100000.00', 'INR')).toBe('₹1,00,000.00');
    expect(showMoney('100000.00', 'INR', true)).toBe('₹1,00,000');
    expect(showMoney('10.50', 'USD', true)).toBe('$10.50');
    expect(() => showMoney('ten', 'USD')).toThrow('ten');
  });

  it('are converted exactly into credits, and back without ever giving more', () => {
    expect(creditsFor(49_950n, '1')).toBe('499.5');
    expect(creditsFor(1n, '85.123456')).toBe('0.851234');
    expect(minorFor(851_234n, '85.123456')).toBe(0n);
    expect(minorFor(851_235n, '85.123456')).toBe(1n);
    expect(minorFor(1n, '0')).toBe(0n);
  });
});

describe('the scale of a chart', () => {
  it.each([
    [0, [0, 1]],
    [Number.NaN, [0, 1]],
    [15, [0, 5, 10, 15]],
    [0.3, [0, 0.1, 0.2, 0.3]],
    [1_001, [0, 250, 500, 750, 1_000, 1_250]],
  ])('up to %d has round numbers from 0', (max, ticks) => {
    expect(ticksBetween(0, max)).toEqual(ticks);
  });

  it.each([
    [0, 20, [0, 5, 10, 15, 20]],
    [-3, 0, [-3, -2, -1, 0]],
    [-3_000_000, 9_000_000, [-5_000_000, 0, 5_000_000, 10_000_000]],
    [-1, 100, [-50, 0, 50, 100]],
    [-0.3, 0.1, [-0.3, -0.2, -0.1, 0, 0.1]],
  ])('from %d to %d has round numbers and 0', (min, max, ticks) => {
    expect(ticksBetween(min, max)).toEqual(ticks);
  });

  it.each([
    [1, [0, 1]],
    [3, [0, 1, 2, 3]],
    [9, [0, 5, 10]],
    [1_001, [0, 250, 500, 750, 1_000, 1_250]],
  ])('up to %d of what can only be counted has whole numbers', (max, ticks) => {
    expect(ticksBetween(0, max, true)).toEqual(ticks);
  });

  it('labels the newest value, and no more than fit', () => {
    expect([...shownLabels(30, 5)]).toEqual([29, 23, 17, 11, 5]);
    expect(shownLabels(3, 10).size).toBe(3);
    expect(shownLabels(0, 5).size).toBe(0);
    expect([...shownLabels(4, 0)]).toEqual([3]);
  });
});
