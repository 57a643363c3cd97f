import { Router } from 'express';

import type { HttpMetrics } from './metrics.js';

export interface Readiness {
  /** Throws where the service cannot do its work; the error's message is for the operator. */
  check(): Promise<void>;
}

/** `/healthz`: the process lives. `/readyz`: database, store and migrations are there. `/metrics`: Prometheus. */
export function createHealthRouter(readiness: Readiness, metrics: HttpMetrics): Router {
  const router = Router();

  router.get('/healthz', (_req, res) => {
    res.json({ success: true, data: { status: 'ok' } });
  });

  router.get('/readyz', async (req, res) => {
    try {
      await readiness.check();
      res.json({ success: true, data: { status: 'ready' } });
    } catch (error) {
      req.log.warn({ err: error }, 'not ready');
      res.setHeader('Retry-After', '2');
      const message = 'The service is not ready.';
      res.status(503).json({ success: false, error: { code: 'SERVICE_UNAVAILABLE', message, status: 503 } });
    }
  });

  router.get('/metrics', async (_req, res) => {
    res.setHeader('Content-Type', metrics.registry.contentType);
    res.send(await metrics.registry.metrics());
  });

  return router;
}
