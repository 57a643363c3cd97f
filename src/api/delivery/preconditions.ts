import type { IncomingHttpHeaders } from 'node:http';

/** What one response stands for: its strong entity tag, in quotes, and when it was made. */
export interface Validators {
  readonly etag: string;
  readonly modifiedAt: Date | null;
}

/** True where the client has this already (RFC 9110, 13.2.2: If-None-Match decides alone where it is sent). */
export function isNotModified(headers: IncomingHttpHeaders, current: Validators): boolean {
  const tags = headers['if-none-match'];
  if (tags !== undefined) {
    return tags.trim() === '*' || tags.split(',').some((tag) => tag.trim().replace(/^W\//, '') === current.etag);
  }
  const since = headers['if-modified-since'];
  if (since === undefined || current.modifiedAt === null) return false;
  const time = Date.parse(since);
  return !Number.isNaN(time) && wholeSeconds(current.modifiedAt.getTime()) <= time;
}

/** True where a part may be added to what the client has: no `If-Range`, or one that names exactly this. */
export function rangeStillFits(headers: IncomingHttpHeaders, current: Validators): boolean {
  const condition = headers['if-range'];
  // A date is no proof: two versions can be of one second. Such a client gets the whole.
  return condition === undefined || condition.toString().trim() === current.etag;
}

function wholeSeconds(timeMs: number): number {
  return Math.floor(timeMs / 1000) * 1000;
}
