import type { NextFunction, Request, Response } from 'express';

import { errorBody } from '../../errors.js';

/** Paths that only programs request: API versions, misspelled entry points, probes, and files. */
const API_PATH =
  /^\/(?:v\d+|api|rest|graphql|webhooks|uploads|media|documents|player|metrics|health|healthz|readyz|\.well-known)(?:\/|$)/i;
const FILE_PATH = /\.(?:json|ya?ml|xml|txt|js|mjs|css|map|m3u8|mpd|vtt|php)$/i;
/** Each round of unescaping scans the whole path, and nobody escapes more often than this by mistake. */
const MAX_UNESCAPED = 3;

/** Answers 404 as JSON. */
export function answerNotFound(_req: Request, res: Response): void {
  res.status(404).setHeader('Cache-Control', 'no-store');
  res.json(errorBody({ code: 'NOT_FOUND', message: 'Endpoint not found.', status: 404 }));
}

/**
 * Keeps the dashboard's page from programs, which would take it for a successful response. Paths that are meant for an
 * API, in any spelling, and requests that do not accept HTML get 404.
 */
export function refusePrograms(req: Request, res: Response, next: NextFunction): void {
  const path = plainPath(req.path);
  const isNoPage = path === null || API_PATH.test(path) || FILE_PATH.test(path);
  res.vary('Accept');
  if (isNoPage || req.accepts(['html', 'json']) !== 'html') answerNotFound(req, res);
  else next();
}

/** The path as it was probably meant: unescaped, with single slashes. `null` if its escapes are invalid. */
function plainPath(path: string): string | null {
  let plain = path;
  try {
    for (let round = 0; round < MAX_UNESCAPED && plain.includes('%'); round += 1) plain = decodeURIComponent(plain);
  } catch {
    return null;
  }
  return plain.replaceAll(/[/\\\s]+/g, '/').replaceAll(/\/\.(?=\/|$)/g, '') || '/';
}
