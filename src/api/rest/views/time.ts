/** `2026-01-31 12:00:00.123456+00`: what PostgreSQL writes in a UTC session, nearly always. */
const FULL_LENGTH = 29;

/** A `timestamptz` as PostgreSQL writes it, as RFC 3339 in UTC with milliseconds. */
export function rfc3339(timestamp: string): string {
  // Dozens of these per page: without making a Date where the text has it all.
  if (timestamp.length === FULL_LENGTH && timestamp.endsWith('+00')) {
    return `${timestamp.slice(0, 10)}T${timestamp.slice(11, 23)}Z`;
  }
  return new Date(timestamp).toISOString();
}

/** As `rfc3339`, or `null`. */
export function rfc3339OrNull(timestamp: string | null): string | null {
  return timestamp === null ? null : rfc3339(timestamp);
}
