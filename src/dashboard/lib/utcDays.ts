/** Calendar days and months in UTC, as `YYYY-MM-DD`: the service counts in UTC. */
import { DATE_LOCALE } from './dateLanguage.js';
import { madeOnce } from './madeOnce.js';

const MS_PER_DAY = 86_400_000;

export function today(): string {
  return new Date().toISOString().slice(0, 10);
}

/** The day `days` days ago, such as "2025-03-01"; 0 is today. */
export function daysBack(days: number): string {
  return new Date(Date.now() - days * MS_PER_DAY).toISOString().slice(0, 10);
}

/** The last `count` days, oldest first, including today. */
export function lastDays(count: number): string[] {
  const now = Date.parse(today());
  return Array.from({ length: count }, (_, index) =>
    new Date(now - (count - 1 - index) * MS_PER_DAY).toISOString().slice(0, 10),
  );
}

/** The first days of the last `count` months, oldest first, including this month. */
export function lastMonths(count: number): string[] {
  const [year = 0, month = 0] = today().split('-').map(Number);
  return Array.from({ length: count }, (_, index) =>
    new Date(Date.UTC(year, month - 1 - (count - 1 - index), 1)).toISOString().slice(0, 10),
  );
}

const inUtc = (parts: Intl.DateTimeFormatOptions): (() => Intl.DateTimeFormat) =>
  madeOnce(() => new Intl.DateTimeFormat(DATE_LOCALE, { timeZone: 'UTC', ...parts }));
const shortDay = inUtc({ day: 'numeric', month: 'short' });
const wholeDay = inUtc({ dateStyle: 'medium' });
const shortMonth = inUtc({ month: 'short' });
const longMonth = inUtc({ month: 'long', year: 'numeric' });

/** "3 Mar" */
export const axisDay = (of: string): string => shortDay().format(new Date(of));
/** "3 Mar 2026", like the days of all other times. */
export const nameDay = (of: string): string => wholeDay().format(new Date(of));
/** "Mar" */
export const axisMonth = (of: string): string => shortMonth().format(new Date(of));
/** "March 2026"; also of "2026-03" */
export const nameMonth = (of: string): string => longMonth().format(new Date(of));
