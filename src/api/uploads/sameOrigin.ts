import type { Request } from 'express';

/**
 * False if a browser says that another site's page sends this request. Cookies are sent either way, so only same-origin
 * requests may change state. Programs other than browsers send neither header.
 */
export function isSameOrigin(req: Request, publicOrigin: string): boolean {
  const site = req.headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  const { origin } = req.headers;
  return origin === undefined || origin === publicOrigin;
}
