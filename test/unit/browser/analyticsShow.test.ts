import { describe, expect, it } from 'vitest';

import { showRatio, showShare, showStartup, showTime } from '../../../src/dashboard/analytics/show.js';
import fc from '../../support/properties.js';
import { valueOf } from '../../browser/player/shownNumbers.js';

/** Half of the last of three digits, of the smallest number with three digits. */
const MOST_OFF = 0.005;

const isClose = (shown: string, value: number): void =>
  expect(Math.abs(valueOf(shown) / value - 1), `${shown} for ${value}`).toBeLessThanOrEqual(MOST_OFF + 1e-9);

describe('the figures of analytics', () => {
  it('differ by at most half a percent from what was measured, however small or large', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e12 }), (ms) => {
        isClose(showTime(ms), ms);
        isClose(showStartup(ms), ms);
      }),
    );
    fc.assert(
      fc.property(fc.double({ min: 1e-6, max: 1, noNaN: true }), (ratio) => {
        isClose(showRatio(ratio), ratio);
        isClose(showShare(ratio, 1), ratio);
      }),
    );
  });

  it.each([
    [0.002_345, '0.235%'],
    [0.012_34, '1.23%'],
    [2 / 3, '66.7%'],
    [1, '100%'],
    [0, '0%'],
    [null, '–'],
  ])('show the ratio %s as %s', (ratio, text) => {
    expect(showRatio(ratio)).toBe(text);
  });
});
