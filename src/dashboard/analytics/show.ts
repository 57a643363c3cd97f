/** Times and shares, as analytics show them. */
import { words } from '#words/analytics.js';
import { LOCALE } from '../lib/dateLanguage.js';
import { showNumber } from '../lib/format.js';

/** Three digits: what is shown differs from what was measured by at most half a percent. */
const SHORT = new Intl.NumberFormat(LOCALE, { maximumSignificantDigits: 3 });
const PERCENT = new Intl.NumberFormat(LOCALE, { style: 'percent', maximumSignificantDigits: 3 });
const { units } = words;

/** "40.3 s", "12.5 min", "3.45 h", "1,250 h" */
export function showTime(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 59.95) return units.seconds(SHORT.format(seconds));
  if (seconds < 59.95 * 60) return units.minutes(SHORT.format(seconds / 60));
  const hours = seconds / 3600;
  return units.hours(hours < 99.5 ? SHORT.format(hours) : showNumber(Math.round(hours)));
}

/** "0.843 s": the startup of a play. Null if there was none. */
export function showStartup(ms: number | null): string {
  return ms === null ? units.noData : units.seconds(SHORT.format(ms / 1000));
}

/** "23.5%", "0.235%": the share of `whole`; a dash if `whole` is 0. */
export function showShare(part: number, whole: number): string {
  return whole > 0 ? PERCENT.format(part / whole) : units.noData;
}

/** "23.5%"; a dash for null. */
export function showRatio(ratio: number | null): string {
  return ratio === null ? units.noData : PERCENT.format(ratio);
}

/** Like `showTime`, for the axis of a chart. */
export function axisTime(ms: number): string {
  return ms === 0 ? '0' : showTime(ms);
}
