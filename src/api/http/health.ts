import { Router } from 'express';

import { errorBody } from '../../errors.js';

export interface Readiness {
  /** Throws if the service cannot do its work. The error's message is for the operator. */
  check(): Promise<void>;
}

/** How long the result of a check is reused. */
const KEPT_MS = 2000;
/** A check that takes this long is given up: the next caller starts another. */
const HUNG_MS = 10_000;

/** `/healthz`: the process is alive. `/readyz`: database, store and migrations are ready. */
export function createHealthRouter(readiness: Readiness, nowMs: () => number = () => performance.now()): Router {
  const checked = shared(() => readiness.check(), nowMs);
  const router = Router();

  router.get('/healthz', (_req, res) => {
    res.json({ success: true, data: { status: 'ok' } });
  });

  router.get('/readyz', async (req, res) => {
    try {
      await checked();
      res.json({ success: true, data: { status: 'ready' } });
    } catch (error) {
      req.log.warn({ err: error }, 'not ready');
      res.setHeader('Retry-After', '2');
      res
        .status(503)
        .json(errorBody({ code: 'SERVICE_UNAVAILABLE', message: 'The service is not ready.', status: 503 }));
    }
  });

  return router;
}

/**
 * Callers share one check, while it runs and shortly after, because anybody may call and each check writes to the
 * store.
 */
function shared(check: () => Promise<void>, nowMs: () => number): () => Promise<void> {
  let last: { readonly outcome: Promise<void>; freshUntilMs: number } | null = null;
  return () => {
    if (last === null || nowMs() >= last.freshUntilMs) {
      const begun = { outcome: check(), freshUntilMs: nowMs() + HUNG_MS };
      const keep = (): void => {
        begun.freshUntilMs = nowMs() + KEPT_MS;
      };
      begun.outcome.then(keep, keep);
      last = begun;
    }
    return last.outcome;
  };
}
