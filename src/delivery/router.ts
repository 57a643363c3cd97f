/**
 * The edge: what players fetch, at `/media`.
 *
 *   /{grant}/{video}/master.m3u8                      made from the database
 *   /{grant}/{video}/{attempt}-{run}/{rung}/index.m3u8   checked with the database: a deleted video stops here
 *   /{grant}/{video}/{attempt}-{run}/{rung}/{segment}    the grant and the store alone
 *   /posters/{account}/{video}/{token}.jpg            for whoever has the link
 *
 * The grant stands in the path, so that every relative address below inherits it in every player.
 */
import { Router, type Request, type Response } from 'express';

import { verifyGrant, type GrantClaims } from '../domain/playback/grants.js';
import { segmentKey, type PublishedMedia } from '../domain/videos/publishedMedia.js';
import { AppError, toAppError } from '../errors.js';
import type { Logger } from '../logger.js';
import type { ObjectStore } from '../ports/objectStore.js';
import { posterOf, rungOf, segmentFile, videoUuid } from './paths.js';
import { sendObject, sendText } from './sendObject.js';

const YEAR_SECONDS = 365 * 24 * 3600;
const PREFLIGHT_SECONDS = 24 * 3600;
const PLAYLIST = { contentType: 'application/vnd.apple.mpegurl', cacheControl: 'no-cache' };
const POSTER = { contentType: 'image/jpeg', cacheControl: `public, max-age=${YEAR_SECONDS}, immutable` };

export interface DeliveryRouterDeps {
  readonly media: PublishedMedia;
  readonly store: ObjectStore;
  /** `deriveKey(masterKey, 'playback-grant')` */
  readonly grantKey: Uint8Array;
  readonly logger: Logger;
  /** Epoch seconds; the machine's clock where left out. */
  readonly nowEpochSeconds?: () => number;
}

export function createDeliveryRouter(deps: DeliveryRouterDeps): Router {
  const { media, store, grantKey, nowEpochSeconds = () => Date.now() / 1000 } = deps;
  const router = Router({ caseSensitive: true, strict: true });

  const granted = (req: Request, videoId: string): GrantClaims => {
    const claims = verifyGrant(grantKey, String(req.params['grant']), videoId, nowEpochSeconds());
    if (claims === null) throw new AppError('FORBIDDEN', 'This playback link is not valid or has run out.');
    return claims;
  };

  router.use((req, res, next) => {
    setCommonHeaders(res);
    if (req.method === 'OPTIONS') answerPreflight(res);
    else if (req.method === 'GET' || req.method === 'HEAD') next();
    else refuseMethod(res);
  });

  router.get('/posters/:account/:video/:file', async (req, res) => {
    const { accountId, token } = posterOf(req.params);
    const key = await media.posterKey(accountId, videoUuid(req.params), token);
    if (key === null) throw new AppError('NOT_FOUND', 'There is no such file.');
    await sendObject(req, res, store, key, POSTER);
  });

  router.get('/:grant/:video/master.m3u8', async (req, res) => {
    const videoId = videoUuid(req.params);
    const { accountId } = granted(req, videoId);
    const playlist = await media.masterPlaylist(accountId, videoId);
    if (playlist === null) throw new AppError('VIDEO_NOT_FOUND', 'There is no such video.');
    sendText(req, res, playlist, PLAYLIST);
  });

  router.get('/:grant/:video/:run/:rung/index.m3u8', async (req, res) => {
    const videoId = videoUuid(req.params);
    const rung = rungOf(req.params);
    const { accountId } = granted(req, videoId);
    const key = await media.playlistKey({ accountId, videoId, ...rung });
    if (key === null) throw new AppError('VIDEO_NOT_FOUND', 'There is no such video.');
    await sendObject(req, res, store, key, PLAYLIST);
  });

  router.get('/:grant/:video/:run/:rung/:file', async (req, res) => {
    const videoId = videoUuid(req.params);
    const rung = rungOf(req.params);
    const file = segmentFile(req.params);
    const { accountId, expiresAt } = granted(req, videoId);
    await sendObject(req, res, store, segmentKey({ accountId, videoId, ...rung }, file), {
      contentType: rung.rung === 'audio' ? 'audio/mp4' : 'video/mp4',
      cacheControl: cacheUntil(expiresAt - nowEpochSeconds()),
    });
  });

  router.use(() => {
    throw new AppError('NOT_FOUND', 'There is no such file.');
  });

  router.use((thrown: unknown, _req: Request, res: Response, _next: unknown) => {
    const error = sendError(res, thrown);
    // Never with the address: it opens the video.
    if (error.wake) deps.logger.error({ scope: 'video', err: thrown }, 'delivery failed');
  });

  return router;
}

/** Segments never change; but a cache on the way must not serve them for longer than their grant would. */
function cacheUntil(remainingSeconds: number): string {
  const seconds = Math.min(YEAR_SECONDS, Math.max(0, Math.floor(remainingSeconds)));
  return `public, max-age=${seconds}, immutable`;
}

/** Other people's pages play this, so they may read it; and no page tells the next one where the film lies. */
function setCommonHeaders(res: Response): void {
  res.setHeader('Access-Control-Allow-Origin', '*');
  res.setHeader('Access-Control-Expose-Headers', 'Accept-Ranges, Content-Length, Content-Range, ETag, X-Request-Id');
  res.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
  res.setHeader('Referrer-Policy', 'no-referrer');
  res.setHeader('X-Content-Type-Options', 'nosniff');
}

function answerPreflight(res: Response): void {
  res.setHeader('Access-Control-Allow-Methods', 'GET, HEAD, OPTIONS');
  res.setHeader('Access-Control-Allow-Headers', 'Range, If-Range, If-None-Match, If-Modified-Since, X-Request-Id');
  res.setHeader('Access-Control-Max-Age', PREFLIGHT_SECONDS);
  res.status(204).end();
}

function refuseMethod(res: Response): void {
  res.setHeader('Allow', 'GET, HEAD, OPTIONS');
  throw new AppError('METHOD_NOT_ALLOWED', 'Media can only be read.');
}

function sendError(res: Response, thrown: unknown): AppError {
  // A path that is not even valid percent-encoding names no file.
  const error = thrown instanceof URIError ? new AppError('NOT_FOUND', 'There is no such file.') : toAppError(thrown);
  if (res.headersSent) {
    // Part of the body is out: only a cut connection tells the player that the rest is missing.
    res.destroy();
    return error;
  }
  for (const name of ['ETag', 'Last-Modified', 'Accept-Ranges', 'Content-Length', 'Content-Range']) {
    res.removeHeader(name);
  }
  res.setHeader('Cache-Control', 'no-store');
  if (error.code === 'SERVICE_UNAVAILABLE') res.setHeader('Retry-After', '2');
  const { code, message, status } = error;
  res.status(status).json({ success: false, error: { code, message, status } });
  return error;
}
