import type { Request } from 'express';

import type { Viewer } from '../../domain/accounts/viewer.js';

/**
 * Who sends a request: by its access token where it has an `Authorization` header (RFC 6750), otherwise by its session
 * cookie. A token that does not work is nobody: its request counts as a visitor's.
 */
export function viewerByTokenOrSession(
  bySession: (req: Request) => Promise<Viewer | null>,
  byToken: (token: string) => Promise<Viewer | null>,
): (req: Request) => Promise<Viewer | null> {
  return async (req) => {
    const { authorization } = req.headers;
    if (authorization === undefined) return bySession(req);
    const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
    return token === undefined ? null : byToken(token);
  };
}
