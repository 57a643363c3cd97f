import { existsSync } from 'node:fs';
import { join } from 'node:path';

import express, { type Request, type RequestHandler } from 'express';

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};
const NAMED = /^\/[\w.-]+(\.(?:js|css))$/;
/** What the build leaves beside a file, best first. */
const ENCODINGS = { br: '.br', gzip: '.gz' } as const;

/** Clients name what they take in an order of their own; the smaller one is better for all. */
export function bestEncoding(req: Request): keyof typeof ENCODINGS | null {
  const accepted = req.acceptsEncodings();
  if (accepted.includes('br')) return 'br';
  return accepted.includes('gzip') ? 'gzip' : null;
}

/**
 * Scripts and style sheets of a folder with hashed names, as the build has compressed them where the client takes that.
 * Anything else is for the next handler.
 */
export function compressedAssets(folder: string): RequestHandler {
  const files = express.static(folder, {
    index: false,
    immutable: true,
    maxAge: '1y',
    setHeaders: (res, path) => {
      const extension = /(\.\w+)\.(?:br|gz)$/.exec(path)?.[1] ?? '';
      res.setHeader('Content-Type', TYPES[extension] ?? 'application/octet-stream');
    },
  });
  return (req, res, next) => {
    const isRead = req.method === 'GET' || req.method === 'HEAD';
    if (!isRead || !NAMED.test(req.path)) {
      next();
      return;
    }
    res.vary('Accept-Encoding');
    const encoding = bestEncoding(req);
    const path = encoding === null ? null : `${req.path}${ENCODINGS[encoding]}`;
    if (path === null || !existsSync(join(folder, path))) {
      next();
      return;
    }
    const plain = req.url;
    res.setHeader('Content-Encoding', encoding ?? 'identity');
    req.url = path;
    files(req, res, (error?: unknown) => {
      req.url = plain;
      res.removeHeader('Content-Encoding');
      next(error);
    });
  };
}
