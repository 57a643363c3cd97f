/** Days in the reader's own time zone, as date fields have them: `YYYY-MM-DD`. */
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** The day in an address, or nothing if that is not a day. */
export function dayIn(search: URLSearchParams, name: string): string {
  const text = search.get(name) ?? '';
  return DAY.test(text) && !Number.isNaN(Date.parse(text)) ? text : '';
}

/** When a day begins, or one some days later. */
export function momentOf(day: string, daysLater: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(year, month - 1, date + daysLater).toISOString();
}

export function todayHere(): string {
  return dayHere(new Date());
}

/** The day of a moment. */
export function dayHere(date: Date): string {
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()]
    .map((part) => String(part).padStart(2, '0'))
    .join('-');
}
