/** Times and shares, as analytics show them. */
import { words } from '#words/analytics.js';
import { LOCALE } from '../lib/dateLanguage.js';
import { showNumber } from '../lib/format.js';

const SHORT = new Intl.NumberFormat(LOCALE, { maximumSignificantDigits: 2 });
const PERCENT = new Intl.NumberFormat(LOCALE, { style: 'percent', maximumFractionDigits: 1 });
const { units } = words;

/** "40 s", "12 min", "3.4 h", "1,250 h" */
export function showTime(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 59.5) return units.seconds(String(Math.round(seconds)));
  if (seconds < 3570) return units.minutes(String(Math.round(seconds / 60)));
  const hours = seconds / 3600;
  return units.hours(hours < 10 ? SHORT.format(hours) : showNumber(Math.round(hours)));
}

/** "0.8 s": the startup of a play. Null if there was none. */
export function showStartup(ms: number | null): string {
  return ms === null ? units.noData : units.seconds(SHORT.format(ms / 1000));
}

/** "23.5%": the share of `whole`; a dash if `whole` is 0. */
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
