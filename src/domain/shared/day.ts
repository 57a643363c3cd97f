/** PostgreSQL has no year 0. */
const DAY = /^(?!0000)\d{4}-\d{2}-\d{2}$/;

/** Whether this is a calendar day that exists, written YYYY-MM-DD. */
export function isDay(value: unknown): value is string {
  if (typeof value !== 'string' || !DAY.test(value) || Number.isNaN(Date.parse(value))) return false;
  // JavaScript parses the 30th of February as the 2nd of March.
  return new Date(value).toISOString().slice(0, 10) === value;
}
