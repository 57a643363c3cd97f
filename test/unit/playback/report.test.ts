import { describe, expect, it } from 'vitest';

import { merged, parseReport, possible, watchedHundredths } from '../../../src/domain/playback/analytics/report.js';

const REPORT = {
  v: 1,
  seq: 3,
  startupMs: 812,
  watchedMs: 40_120,
  stalledMs: 300,
  stalls: 1,
  switches: 2,
  ranges: [
    [0, 30_000],
    [60_000, 70_120],
  ],
  errors: [{ code: 'NETWORK', atMs: 1_234 }],
  ended: false,
};

describe('a report', () => {
  it('is read, with its ranges sorted and merged', () => {
    const ranges = [
      [60_000, 70_120],
      [10, 20],
      [15, 30],
      [30, 40],
      [50, 50],
      [9, 2],
    ];
    const { v: _, ...rest } = REPORT;
    expect(parseReport(JSON.stringify({ ...REPORT, ranges }))).toEqual({ ...rest, ranges: [10, 40, 60_000, 70_120] });
  });

  it.each([
    ['no JSON', 'x'],
    ['nothing', ''],
    ['an array', '[]'],
    ['null', 'null'],
    ['another version', { ...REPORT, v: 2 }],
    ['a field that is missing', { ...REPORT, ended: undefined }],
    ['an unknown field', { ...REPORT, accountId: 'x' }],
    ['a fraction', { ...REPORT, watchedMs: 1.5 }],
    ['a negative number', { ...REPORT, watchedMs: -1 }],
    ['a number as text', { ...REPORT, watchedMs: '1' }],
    ['a number that is too large', { ...REPORT, watchedMs: 1e15 }],
    ['not a number', JSON.stringify(REPORT).replace('40120', 'NaN')],
    ['infinity', JSON.stringify(REPORT).replace('40120', '1e999')],
    ['seq 0', { ...REPORT, seq: 0 }],
    ['too many ranges', { ...REPORT, ranges: Array.from({ length: 65 }, (_, n) => [n * 10, n * 10 + 5]) }],
    ['a range with one end', { ...REPORT, ranges: [[1]] }],
    ['a range with three ends', { ...REPORT, ranges: [[1, 2, 3]] }],
    ['too many errors', { ...REPORT, errors: Array.from({ length: 11 }, () => REPORT.errors[0]) }],
    ['an unknown error', { ...REPORT, errors: [{ code: "x'); drop table", atMs: 1 }] }],
    ['a prototype', `{"__proto__": {}, ${JSON.stringify(REPORT).slice(1)}`],
  ])('is refused if it is %s', (_, body) => {
    expect(parseReport(typeof body === 'string' ? body : JSON.stringify(body))).toBeNull();
  });

  it('is cut to the length of the video and the age of the view', () => {
    const huge = parseReport(
      JSON.stringify({ ...REPORT, startupMs: 9e8, watchedMs: 9e8, stalledMs: 9e8, stalls: 9_999, ranges: [[5, 9e8]] }),
    )!;
    expect(possible(huge, { ageMs: 20_000, durationMs: 60_000 })).toMatchObject({
      startupMs: 30_000,
      watchedMs: 75_000,
      stalledMs: 30_000,
      stalls: 300,
      ranges: [5, 60_000],
      errors: [{ code: 'NETWORK', atMs: 1_234 }],
    });
    expect(possible(huge, { ageMs: 20_000_000, durationMs: 60_000 })).toMatchObject({ stalls: 1_000 });
    expect(possible(huge, { ageMs: -5, durationMs: 0 })).toMatchObject({ watchedMs: 0, ranges: [] });
  });

  it('that is possible is not changed', () => {
    const report = parseReport(JSON.stringify(REPORT))!;
    expect(possible(report, { ageMs: 60_000, durationMs: 100_000 })).toEqual(report);
  });
});

describe('two reports of a view', () => {
  it('are merged to the same in both orders', () => {
    const first = parseReport(JSON.stringify(REPORT))!;
    const second = parseReport(
      JSON.stringify({
        ...REPORT,
        seq: 1,
        startupMs: null,
        watchedMs: 50_000,
        ranges: [[20_000, 65_000]],
        errors: [],
        ended: true,
      }),
    )!;
    const both = { ...first, watchedMs: 50_000, ranges: [0, 70_120], ended: true };
    expect(merged(first, second)).toEqual(both);
    expect(merged(second, first)).toEqual(both);
    expect(merged(both, second)).toEqual(both);
  });

  it('keep at most 64 ranges, and close the smallest gaps', () => {
    const spaced = (shift: number) => ({
      ...REPORT,
      ranges: Array.from({ length: 64 }, (_, n) => [n * 1_000 + shift, n * 1_000 + shift + 100]),
    });
    const both = merged(parseReport(JSON.stringify(spaced(0)))!, parseReport(JSON.stringify(spaced(150)))!);
    expect(both.ranges).toHaveLength(128);
    expect(both.ranges.slice(0, 4)).toEqual([0, 250, 1_000, 1_250]);
  });
});

describe('watched hundredths', () => {
  it.each([
    ['nothing', [], 100_000, []],
    ['a video without a length', [0, 5], 0, []],
    ['two whole ones', [10_000, 12_000], 100_000, [10, 11]],
    ['half of one', [10_000, 10_500], 100_000, [10]],
    ['less than half', [10_000, 10_499], 100_000, []],
    ['two parts that make half', [10_000, 10_250, 10_700, 10_950], 100_000, [10]],
    ['the end', [99_400, 100_000], 100_000, [99]],
  ])('are right for %s', (_, ranges, durationMs, hundredths) => {
    expect(watchedHundredths(ranges, durationMs)).toEqual(hundredths);
  });

  it('are all of them for the whole video', () => {
    expect(watchedHundredths([0, 90_500], 90_500)).toEqual(Array.from({ length: 100 }, (_, n) => n));
  });
});
