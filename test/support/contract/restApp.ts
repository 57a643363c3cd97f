import express, { type Express } from 'express';
import { pino } from 'pino';

import type { PostgresDatabase } from '../../../src/db/database.js';
import { deriveKey } from '../../../src/domain/shared/secrets/masterKey.js';
import type { PlaybackService } from '../../../src/domain/playback/playback.service.js';
import { HttpMetrics } from '../../../src/api/http/metrics.js';
import { requestContext, RequestLines } from '../../../src/api/http/requestContext.js';
import { createRestRouter } from '../../../src/api/rest/router.js';

export const PUBLIC_URL = 'https://video.example';

/** The /v1 API, with the middleware that the service mounts before it. */
export function restApp(deps: {
  db: PostgresDatabase;
  playback: PlaybackService;
  masterKey: Buffer;
  countryHeader?: string;
}): Express {
  const app = express();
  app.disable('x-powered-by');
  const logger = pino({ level: 'silent' });
  app.use(requestContext(logger, new RequestLines(logger, new HttpMetrics())));
  app.use(createRestRouter({ ...deps, publicUrl: PUBLIC_URL, cursorKey: deriveKey(deps.masterKey, 'list-cursor') }));
  return app;
}
