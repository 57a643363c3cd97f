const DAY_MS = 86_400_000;
const AXIS = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** The UTC day so many days ago, such as "2025-03-01"; 0 is today. */
export function daysBack(days: number): string {
  return new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
}

/** The last so many UTC days, oldest first, today included. */
export function lastDays(count: number): string[] {
  return Array.from({ length: count }, (_, index) => daysBack(count - 1 - index));
}

/** "3 Mar" */
export function dayLabel(day: string): string {
  return AXIS.format(new Date(day));
}
