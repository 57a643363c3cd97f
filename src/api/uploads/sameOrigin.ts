import type { Request } from 'express';

/**
 * True unless a browser says that another site's page sends this. Cookies come along either way, so state may only
 * change when it holds. Programs that are no browser send neither header.
 */
export function isSameOrigin(req: Request, publicOrigin: string): boolean {
  const site = req.headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  const { origin } = req.headers;
  return origin === undefined || origin === publicOrigin;
}
