import type { Request, Response, Router } from 'express';

import type { PlaybackService } from '../../../domain/playback/playback.service.js';
import { referencePage } from '../docs/referencePage.js';
import { sendJson } from '../envelope.js';
import { openApiDocument } from '../docs/openapi.js';

const FOR_EVERYBODY = { 'Access-Control-Allow-Origin': '*', 'Cross-Origin-Resource-Policy': 'cross-origin' };
/** A new key is published a minute before it signs; processes know it after 15 s, caches after 30 more. */
const KEY_SET_MAX_AGE_SECONDS = 30;

const PAGE_HEADERS = {
  'Cache-Control': 'public, max-age=300',
  // One inline style sheet and nothing else: no script, no font, no picture, no frame.
  'Content-Security-Policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Content-Type': 'text/html; charset=utf-8',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

/** What clients and their authors read: the public keys, the OpenAPI document, the reference. */
export function addDocumentRoutes(router: Router, deps: { playback: PlaybackService; publicUrl: string }): void {
  const document = openApiDocument(deps.publicUrl);
  const page = referencePage(document);

  router.get('/.well-known/jwks.json', (_req: Request, res: Response) => {
    const headers = { ...FOR_EVERYBODY, 'Cache-Control': `public, max-age=${KEY_SET_MAX_AGE_SECONDS}` };
    sendJson(res, 200, { keys: deps.playback.signingKeys.publicKeys() }, headers);
  });

  router.get('/openapi.json', (_req: Request, res: Response) => {
    sendJson(res, 200, document, { ...FOR_EVERYBODY, 'Cache-Control': 'public, max-age=300' });
  });

  router.get('/docs/api', (_req: Request, res: Response) => {
    res.writeHead(200, PAGE_HEADERS);
    res.end(page);
  });
}
