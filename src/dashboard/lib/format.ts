/** Formats numbers and times for people. */
import { words } from '#words/formats.js';
import { DATE_LOCALE, LOCALE } from './dateLanguage.js';
import { madeOnce } from './madeOnce.js';

const number = madeOnce(() => new Intl.NumberFormat(words.language));
const compact = madeOnce(
  () => new Intl.NumberFormat(words.language, { maximumSignificantDigits: 3, notation: 'compact' }),
);

/** "12,500" */
export function showNumber(value: number): string {
  return number().format(value);
}

/** "12.5K", for the axis of a chart. */
export function showCompact(value: number): string {
  return compact().format(value);
}

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'];

/** "1.4 GB"; decimal units, as file managers and price lists count. */
export function showBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit > 0 && value < 10 ? value.toFixed(1) : Math.round(value)} ${UNITS[unit]}`;
}

/** "1:02:09" or "0:20", as in a player. */
export function showDuration(seconds: number): string {
  const whole = Math.floor(seconds);
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const [hours = 0, minutes = 0, rest = 0] = parts;
  const tail = `${String(minutes).padStart(hours > 0 ? 2 : 1, '0')}:${String(rest).padStart(2, '0')}`;
  return hours > 0 ? `${hours}:${tail}` : tail;
}

/** "about 3 min left". Coarse on purpose, since estimates jump. */
export function showTimeLeft(seconds: number): string {
  if (seconds < 5) return words.fewSecondsLeft;
  if (seconds < 90) return words.secondsLeft(Math.round(seconds / 5) * 5);
  if (seconds < 5400) return words.minutesLeft(Math.round(seconds / 60));
  return words.hoursLeft(Math.round(seconds / 3600));
}

const day = madeOnce(() => new Intl.DateTimeFormat(DATE_LOCALE, { day: 'numeric', month: 'short', year: 'numeric' }));
const moment = madeOnce(() => new Intl.DateTimeFormat(DATE_LOCALE, { dateStyle: 'medium', timeStyle: 'short' }));
const second = madeOnce(() => new Intl.DateTimeFormat(DATE_LOCALE, { dateStyle: 'medium', timeStyle: 'medium' }));
// Part of sentences, so in the language of the texts.
const relative = madeOnce(() => new Intl.RelativeTimeFormat(LOCALE, { numeric: 'auto' }));

/** "PM" is never alone on a line. */
function said(format: () => Intl.DateTimeFormat, iso: string): string {
  return format()
    .format(new Date(iso))
    .replace(/ (?=[AP]M$)/i, '\u00a0');
}

export function showDay(iso: string): string {
  return said(day, iso);
}

/** A moment with its seconds. */
export function showSecond(iso: string): string {
  return said(second, iso);
}

export function showMoment(iso: string): string {
  return said(moment, iso);
}

/** "5 minutes ago" within a week, after that the date. */
export function showAge(iso: string, now = Date.now()): string {
  const seconds = Math.round((new Date(iso).getTime() - now) / 1000);
  if (seconds > -45) return words.justNow;
  if (seconds > -3600) return relative().format(Math.min(-1, Math.round(seconds / 60)), 'minute');
  if (seconds > -86_400) return relative().format(Math.round(seconds / 3600), 'hour');
  if (seconds > -604_800) return relative().format(Math.round(seconds / 86_400), 'day');
  return showDay(iso);
}

/** "5.2 Mbit/s" */
export function showBitrate(bitsPerSecond: number): string {
  return bitsPerSecond >= 1e6
    ? `${(bitsPerSecond / 1e6).toFixed(1)} Mbit/s`
    : `${Math.round(bitsPerSecond / 1e3)} kbit/s`;
}
