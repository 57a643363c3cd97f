import { existsSync } from 'node:fs';
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
  router.use(express.static(folder, { index: false, maxAge: '1h' }));
  router.use(refusePrograms);
  router.get('/{*path}', (req, res, next) => {
    if (!existsSync(page)) {
      next();
      return;
    }
    res.setHeader('Cache-Control', 'no-cache');
    res.sendFile(req.path === '/sign-in' ? signInPage : page);
  });
  return router;
}
