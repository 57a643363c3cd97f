import { existsSync } from 'node:fs';
import { extname, join } from 'node:path';

import express, { Router, type NextFunction, type Request, type RequestHandler, type Response } from 'express';

import { errorBody } from '../../errors.js';
import { bestEncoding } from './compressedFiles.js';

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.ts': 'text/plain; charset=utf-8',
};
/** Encodings that the build writes beside every file, best first. */
const ENCODINGS = { br: '.br', gzip: '.gz' } as const;
const FILE = /^\/[\w.-]+\.(?:mjs|js|css|ts)$/;
const HASHED = /^\/[\w-]+-[\w-]{8}\.mjs$/;

/**
 * Serves the player SDK at `/player/…` and the frame page at `/embed`, from the built files in `folder`.
 *
 * Pages on other sites load the SDK and frame the page, so both are open to any origin, unlike the rest of the service.
 * The playback token is in the fragment of `/embed`, which browsers never send.
 */
export function createPlayerRouter(folder: string): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.use('/player', allowEverySite, sendCompressed(folder));
  router.get('/embed', allowEverySite, embedPolicy, (_req, res, next) => {
    const page = join(folder, 'embed.html');
    if (!existsSync(page)) {
      next();
      return;
    }
    res.setHeader('Cache-Control', 'public, max-age=300');
    res.sendFile(page);
  });
  return router;
}

function allowEverySite(_req: Request, res: Response, next: NextFunction): void {
  res.setHeader('Access-Control-Allow-Origin', '*');
  res.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
  res.setHeader('X-Content-Type-Options', 'nosniff');
  next();
}

/** Only our own scripts run in the frame. Streams, posters and captions may come from any origin. */
function embedPolicy(_req: Request, res: Response, next: NextFunction): void {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    'connect-src *',
    'img-src * data:',
    'media-src * blob: data:',
    "base-uri 'none'",
    "form-action 'none'",
    // `*` means sites. Owners also try the code in files.
    'frame-ancestors * file:',
  ];
  res.setHeader('Content-Security-Policy', policy.join('; '));
  res.setHeader('Referrer-Policy', 'strict-origin-when-cross-origin');
  next();
}

/**
 * Serves a file by name, compressed if the client accepts it. Files with hashed names never change; others may soon.
 */
function sendCompressed(folder: string): RequestHandler {
  const files = express.static(folder, { index: false, cacheControl: false, setHeaders: describe });
  return (req, res, next) => {
    const isRead = req.method === 'GET' || req.method === 'HEAD';
    if (!isRead || !FILE.test(req.path) || !existsSync(join(folder, req.path))) {
      // Do not fall through to the dashboard's page: a missing script must not get HTML.
      res.status(404).json(errorBody({ code: 'NOT_FOUND', message: 'Not found.', status: 404 }));
      return;
    }
    res.vary('Accept-Encoding');
    const maxAge = HASHED.test(req.path) ? 'max-age=31536000, immutable' : 'max-age=300, stale-while-revalidate=86400';
    res.setHeader('Cache-Control', `public, ${maxAge}`);
    const encoding = bestEncoding(req);
    if (encoding !== null) {
      res.setHeader('Content-Encoding', encoding);
      req.url = `${req.path}${ENCODINGS[encoding]}`;
    }
    files(req, res, next);
  };
}

/** Sets the content type of the uncompressed file. */
function describe(res: Response, path: string): void {
  res.setHeader('Content-Type', TYPES[extname(path.replace(/\.(?:br|gz)$/, ''))] ?? 'application/octet-stream');
}
