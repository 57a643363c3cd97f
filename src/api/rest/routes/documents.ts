import { readFileSync } from 'node:fs';

import type { Request, Response, Router } from 'express';

import type { PlaybackService } from '../../../domain/playback/playback.service.js';
import { referencePage } from '../docs/referencePage.js';
import { sendJson } from '../envelope.js';
import { openApiDocument } from '../docs/openapi.js';

const FOR_EVERYBODY = { 'Access-Control-Allow-Origin': '*', 'Cross-Origin-Resource-Policy': 'cross-origin' };
/** A new key is published a minute before it signs. Processes load it within 15 s, and caches within 30 s more. */
const KEY_SET_MAX_AGE_SECONDS = 30;

const PAGE_HEADERS = {
  'Cache-Control': 'public, max-age=300',
  // One inline style sheet, one script of our own, and requests to this service: no font, no image, no frame.
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'unsafe-inline'; base-uri 'none'; " +
    "form-action 'none'; frame-ancestors 'none'",
  'Content-Type': 'text/html; charset=utf-8',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

const SCRIPT_HEADERS = {
  'Cache-Control': 'public, max-age=300',
  'Content-Type': 'text/javascript; charset=utf-8',
  'X-Content-Type-Options': 'nosniff',
};

/** Adds the public keys, the OpenAPI document and the API reference. */
export function addDocumentRoutes(router: Router, deps: { playback: PlaybackService; publicUrl: string }): void {
  const document = openApiDocument(deps.publicUrl);
  const page = referencePage(document);
  const script = readFileSync(new URL('../docs/sendRequests.mjs', import.meta.url));

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

  router.get('/docs/api.js', (_req: Request, res: Response) => {
    res.writeHead(200, SCRIPT_HEADERS);
    res.end(script);
  });
}
