import type { Request } from 'express';

import type { Viewer } from '../../domain/accounts/viewer.js';

/**
 * Who sends a request: by its access token if its `Authorization` is `Bearer` (RFC 6750), otherwise by its session
 * cookie. A request with an invalid token counts as a visitor's.
 */
export function viewerByTokenOrSession(
  bySession: (req: Request) => Promise<Viewer | null>,
  byToken: (token: string) => Promise<Viewer | null>,
): (req: Request) => Promise<Viewer | null> {
  return async (req) => {
    const credentials = bearerOf(req);
    if (credentials === null) return bySession(req);
    const token = /^ *(\S+)$/.exec(credentials)?.[1];
    return token === undefined ? null : byToken(token);
  };
}

/** What follows `Bearer `. Other schemes are for a proxy in front, such as a password for a test installation. */
export function bearerOf({ headers: { authorization } }: Request): string | null {
  return authorization !== undefined && /^Bearer /i.test(authorization) ? authorization.slice('Bearer '.length) : null;
}
