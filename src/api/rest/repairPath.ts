import type { RequestHandler } from 'express';

/**
 * Lets paths with broken percent-escapes through to their route, where they name nothing: the caller gets that route's
 * own answers, in its order, instead of the router's complaint.
 */
export const repairPath: RequestHandler = (req, _res, next) => {
  if (req.url.includes('%') && !isDecodable(req.path)) {
    const queryAt = req.url.indexOf('?');
    const query = queryAt === -1 ? '' : req.url.slice(queryAt);
    req.url = req.path.replaceAll('%', '%25') + query;
  }
  next();
};

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
