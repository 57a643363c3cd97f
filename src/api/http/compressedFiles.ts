import { existsSync } from 'node:fs';
import { join } from 'node:path';

import express, { type Request, type RequestHandler } from 'express';

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};
const NAMED = /^\/[\w.-]+(\.(?:js|css))$/;
/** Encodings that the build writes beside a file, best first. */
const ENCODINGS = { br: '.br', gzip: '.gz' } as const;
/**
 * Headers that tell browsers what a page may do. They mean nothing for a script or a style sheet, and are longer than the
 * smallest of them.
 */
const OF_PAGES = [
  'Content-Security-Policy',
  'Cross-Origin-Opener-Policy',
  'Origin-Agent-Cluster',
  'Referrer-Policy',
  'X-DNS-Prefetch-Control',
  'X-Download-Options',
  'X-Frame-Options',
  'X-Permitted-Cross-Domain-Policies',
  'X-XSS-Protection',
];

/** Ignores the client's order of preference, because the smaller file is better for everyone. */
export function bestEncoding(req: Request): keyof typeof ENCODINGS | null {
  const accepted = req.acceptsEncodings();
  if (accepted.includes('br')) return 'br';
  return accepted.includes('gzip') ? 'gzip' : null;
}

/**
 * Serves scripts and style sheets with hashed names, in the form that the build compressed if the client accepts it.
 * Passes everything else to the next handler.
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
    for (const name of OF_PAGES) res.removeHeader(name);
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
