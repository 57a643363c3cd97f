import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';

import express, { Router } from 'express';

import { refusePrograms } from './apiPaths.js';
import { compressedAssets } from './compressedFiles.js';

/** Serves the built dashboard. Hashed assets are immutable; every other page is the app itself. */
export function createDashboardRouter(folder: string): Router {
  const router = Router();
  const page = join(folder, 'index.html');
  // The same app with its own first view.
  const signInPage = join(folder, 'sign-in.html');

  router.use(
    '/assets',
    compressedAssets(join(folder, 'assets')),
    express.static(join(folder, 'assets'), { immutable: true, maxAge: '1y', index: false, fallthrough: false }),
  );
  router.use(
    '/schemas',
    express.static(join(folder, 'schemas'), { index: false, maxAge: '1h', setHeaders: openToAll }),
  );
  router.use(express.static(folder, { index: false, maxAge: '1h' }));
  router.use(refusePrograms);
  router.get('/{*path}', async (req, res, next) => {
    if (!existsSync(page)) {
      next();
      return;
    }
    res.setHeader('Cache-Control', 'no-cache');
    const link = preloadHeader(await readPreloads(folder), req.path);
    if (link !== '') res.setHeader('Link', link);
    res.sendFile(req.path === '/sign-in' ? signInPage : page);
  });
  return router;
}

/** Tools on pages of other sites validate events, too. */
function openToAll(res: ServerResponse): void {
  res.setHeader('Access-Control-Allow-Origin', '*');
  res.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
}

type Preloads = Readonly<Record<string, readonly string[]>>;

/** What the build found that each page loads. It is read each time, because a new build has other names. */
async function readPreloads(folder: string): Promise<Preloads> {
  try {
    return JSON.parse(await readFile(join(folder, 'preloads.json'), 'utf8')) as Preloads;
  } catch {
    // The page still loads, only later.
    return {};
  }
}

/** The files are requested as soon as this header arrives, in this order. */
function preloadHeader(preloads: Preloads, path: string): string {
  const known = /^\/videos\/vid_[^/]+$/.test(path) ? '/videos/:id' : path;
  const files = (Object.hasOwn(preloads, known) ? preloads[known] : preloads['*']) ?? [];
  return files
    .map((file) => `<${file}>; rel=${file.endsWith('.css') ? 'preload; as=style; crossorigin' : 'modulepreload'}`)
    .join(', ');
}
