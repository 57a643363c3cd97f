import type { IncomingHttpHeaders } from 'node:http';

/** The validators of a response: its strong entity tag, in quotes, and its modification time. */
export interface Validators {
  readonly etag: string;
  readonly modifiedAt: Date | null;
}

/** True if the client has this already. If `If-None-Match` is sent, it alone decides (RFC 9110, 13.2.2). */
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

/** True if a part may be sent: there is no `If-Range`, or it names exactly this version. */
export function rangeStillFits(headers: IncomingHttpHeaders, current: Validators): boolean {
  const condition = headers['if-range'];
  // A date proves nothing, since two versions can have the same second. Such a client gets the whole object.
  return condition === undefined || condition.toString().trim() === current.etag;
}

function wholeSeconds(timeMs: number): number {
  return Math.floor(timeMs / 1000) * 1000;
}
