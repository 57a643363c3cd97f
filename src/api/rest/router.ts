import { Router, type RequestHandler } from 'express';

import type { Database } from '../../db/sql.js';
import type { PlaybackService } from '../../domain/playback/playback.service.js';
import { Cursors } from './cursor.js';
import { errorHandler, notFound } from './errors.js';
import { addDocumentRoutes } from './routes/documents.js';
import { addPlaybackRoutes } from './routes/playback.js';
import { addVideoRoutes } from './routes/videos.js';

export interface RestDeps {
  readonly db: Database;
  readonly playback: PlaybackService;
  /** Without a trailing slash. */
  readonly publicUrl: string;
  /** `deriveKey(masterKey, 'list-cursor')`. */
  readonly cursorKey: Buffer;
  /** In which a proxy tells the visitor's country, such as `cf-ipcountry`. Default: none. */
  readonly countryHeader?: string | null;
}

/** `/v1`, the public keys, the OpenAPI document and its reference page. Mounted at the root, behind `requestContext`. */
export function createRestRouter(deps: RestDeps): Router {
  const v1 = Router({ caseSensitive: true });
  v1.use(repairPath);
  addVideoRoutes(v1, { ...deps, cursors: new Cursors(deps.cursorKey) });
  addPlaybackRoutes(v1, deps.playback, deps.countryHeader?.toLowerCase() ?? null);
  v1.use(notFound);
  v1.use(errorHandler(deps.playback));

  const router = Router({ caseSensitive: true });
  router.use('/v1', v1);
  addDocumentRoutes(router, deps);
  return router;
}

/**
 * Lets paths with broken percent-escapes through to their route, where they match no video. The caller then gets that
 * route's own checks, in its order, instead of the router's error.
 */
const repairPath: RequestHandler = (req, _res, next) => {
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
