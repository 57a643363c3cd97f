/**
 * The edge: what players fetch, at `/media`.
 *
 *   /{grant}/{video}/master.m3u8                      made from the database
 *   /{grant}/{video}/{attempt}-{run}/{rendition}/index.m3u8   checked with the database: a deleted video stops here
 *   /{grant}/{video}/{attempt}-{run}/{rendition}/iframes.m3u8 likewise: the same pictures' key frames
 *   /{grant}/{video}/{attempt}-{run}/{rendition}/{segment}    the grant and the store alone; playlists may name the
 *                                                        bucket or a CDN instead
 *   /{grant}/{video}/captions/{id}.m3u8 or .vtt       made from the database, as /{grant}/{video}/chapters.vtt is
 *   /{grant}/{video}/{attempt}-{run}/storyboard/{file}   its index and sheets, checked like playlists
 *   /{grant}/{video}/{attempt}-{run}/key/{index}         16 bytes that open encrypted segments; always from here,
 *                                                        checked like playlists
 *   /posters/{account}/{video}/{token}.jpg or .webp   for whoever has the link
 *
 * The grant stands in the path, so that every relative address below inherits it in every player.
 */
import { Router, type Request, type Response } from 'express';

import { verifyGrant, type GrantClaims } from '../../domain/playback/grants.js';
import { segmentKey, type PublishedMedia } from '../../domain/media/library/publishedMedia.js';
import type { MediaKeyService } from '../../domain/media/keys/mediaKeys.service.js';
import { AppError, toAppError } from '../../errors.js';
import type { Logger } from '../../logger.js';
import type { ObjectStore } from '../../ports/objectStore.js';
import { LinkedPlaylists } from './linkedPlaylists.js';
import {
  captionFile,
  keyOf,
  playlistFile,
  posterOf,
  renditionOf,
  segmentFile,
  storyboardFile,
  videoUuid,
} from './paths.js';
import type { SegmentSource } from './segmentSource.js';
import { sendObject, sendSecret, sendText } from './sendObject.js';

const YEAR_SECONDS = 365 * 24 * 3600;
/**
 * Caches that many share, such as a CDN's, are to be rid of a deleted video within a day: what they fetched in the minutes
 * before its bytes left the store included. What a viewer's own browser keeps is the viewer's.
 */
const SHARED_SECONDS = 12 * 3600;
const PREFLIGHT_SECONDS = 24 * 3600;
const PLAYLIST = { contentType: 'application/vnd.apple.mpegurl', cacheControl: 'no-cache', isText: true } as const;
const IMMUTABLE = cacheFor(YEAR_SECONDS);
const POSTER = { contentType: 'image/jpeg', cacheControl: IMMUTABLE };
const PREVIEW = { contentType: 'image/webp', cacheControl: IMMUTABLE };
const WEBVTT = { contentType: 'text/vtt; charset=utf-8', cacheControl: 'no-cache', isText: true } as const;

export interface DeliveryRouterDeps {
  readonly media: PublishedMedia;
  readonly store: ObjectStore;
  readonly mediaKeys: MediaKeyService;
  /** Where segments are fetched; from here, where left out. */
  readonly segments?: SegmentSource | null;
  /** `deriveKey(masterKey, 'playback-grant')` */
  readonly grantKey: Uint8Array;
  /** The same of master keys of before: what plays goes on playing when the master key changes. */
  readonly previousGrantKeys?: readonly Uint8Array[];
  readonly logger: Logger;
  /** Epoch seconds; the machine's clock where left out. */
  readonly nowEpochSeconds?: () => number;
}

export function createDeliveryRouter(deps: DeliveryRouterDeps): Router {
  const { media, store, mediaKeys, nowEpochSeconds = () => Date.now() / 1000 } = deps;
  const grantKeys = [deps.grantKey, ...(deps.previousGrantKeys ?? [])];
  const linked = deps.segments ? new LinkedPlaylists(store, deps.segments) : null;
  const router = Router({ caseSensitive: true, strict: true });

  const granted = (req: Request, videoId: string): GrantClaims => {
    for (const key of grantKeys) {
      const claims = verifyGrant(key, String(req.params['grant']), videoId, nowEpochSeconds());
      if (claims !== null) return claims;
    }
    throw new AppError('FORBIDDEN', 'This playback link is invalid or has expired.');
  };

  router.use((req, res, next) => {
    setCommonHeaders(res);
    if (req.method === 'OPTIONS') answerPreflight(res);
    else if (req.method === 'GET' || req.method === 'HEAD') next();
    else refuseMethod(res);
  });

  router.get('/posters/:account/:video/:file', async (req, res) => {
    const { accountId, token, kind } = posterOf(req.params);
    const videoId = videoUuid(req.params);
    const isPoster = kind === 'jpg';
    const key = isPoster
      ? await media.posterKey(accountId, videoId, token)
      : await media.previewKey(accountId, videoId, token);
    if (key === null) throw new AppError('NOT_FOUND', 'File not found.');
    await sendObject(req, res, store, key, isPoster ? POSTER : PREVIEW);
  });

  router.get('/:grant/:video/master.m3u8', async (req, res) => {
    const videoId = videoUuid(req.params);
    const { accountId } = granted(req, videoId);
    const playlist = await media.masterPlaylist(accountId, videoId, req.headers);
    if (playlist === null) throw new AppError('VIDEO_NOT_FOUND', 'Video not found.');
    await sendText(req, res, playlist, PLAYLIST);
  });

  router.get('/:grant/:video/chapters.vtt', async (req, res) => {
    const videoId = videoUuid(req.params);
    const { accountId } = granted(req, videoId);
    const chapters = await media.chapters(accountId, videoId, req.headers);
    if (chapters === null) throw new AppError('NOT_FOUND', 'File not found.');
    await sendText(req, res, chapters, WEBVTT);
  });

  router.get('/:grant/:video/captions/:file', async (req, res) => {
    const videoId = videoUuid(req.params);
    const { captionId, kind } = captionFile(req.params);
    const { accountId } = granted(req, videoId);
    const caption = await media.caption(accountId, videoId, captionId, req.headers);
    if (caption === null) throw new AppError('NOT_FOUND', 'File not found.');
    await sendText(req, res, caption[kind], kind === 'vtt' ? WEBVTT : PLAYLIST);
  });

  router.get('/:grant/:video/:run/storyboard/:file', async (req, res) => {
    const videoId = videoUuid(req.params);
    const { run, file } = storyboardFile(req.params);
    const { accountId, expiresAt } = granted(req, videoId);
    const key = await media.storyboardKey({ accountId, videoId, run }, file);
    if (key === null) throw new AppError('VIDEO_NOT_FOUND', 'Video not found.');
    const cacheControl = cacheUntil(expiresAt - nowEpochSeconds());
    await sendObject(req, res, store, key, file === 'index.vtt' ? WEBVTT : { ...POSTER, cacheControl });
  });

  router.get('/:grant/:video/:run/key/:index', async (req, res) => {
    const videoId = videoUuid(req.params);
    const { keyIndex, ...run } = keyOf(req.params);
    const { accountId } = granted(req, videoId);
    const key = await mediaKeys.find({ accountId, videoId, ...run }, keyIndex, req.headers);
    if (key === null) throw new AppError('VIDEO_NOT_FOUND', 'Video not found.');
    sendSecret(req, res, key);
  });

  router.get('/:grant/:video/:run/:rendition/:playlist.m3u8', async (req, res) => {
    const videoId = videoUuid(req.params);
    const rendition = renditionOf(req.params);
    const { accountId, expiresAt } = granted(req, videoId);
    const ref = { accountId, videoId, ...rendition };
    const key = await media.playlistKey(ref, req.headers, playlistFile(req.params));
    if (key === null) throw new AppError('VIDEO_NOT_FOUND', 'Video not found.');
    if (linked === null) {
      await sendObject(req, res, store, key, PLAYLIST);
      return;
    }
    const as = { ...ref, expiresAt, grant: req.params.grant, video: req.params.video };
    const playlist = await linked.playlist(key, as, Math.floor(nowEpochSeconds()));
    if (playlist === null) throw new AppError('NOT_FOUND', 'File not found.');
    await sendText(req, res, playlist, PLAYLIST);
  });

  router.get('/:grant/:video/:run/:rendition/:file', async (req, res) => {
    const videoId = videoUuid(req.params);
    const rendition = renditionOf(req.params);
    const file = segmentFile(req.params);
    const { accountId, expiresAt } = granted(req, videoId);
    await sendObject(req, res, store, segmentKey({ accountId, videoId, ...rendition }, file), {
      contentType: rendition.rendition.startsWith('audio') ? 'audio/mp4' : 'video/mp4',
      cacheControl: cacheUntil(expiresAt - nowEpochSeconds()),
    });
  });

  router.use(() => {
    throw new AppError('NOT_FOUND', 'File not found.');
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
  return cacheFor(Math.min(YEAR_SECONDS, Math.max(0, Math.floor(remainingSeconds))));
}

function cacheFor(seconds: number): string {
  return `public, max-age=${seconds}, s-maxage=${Math.min(seconds, SHARED_SECONDS)}, immutable`;
}

/** Other people's pages play this, so they may read it; and no page tells the next one where the video lies. */
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
  throw new AppError('METHOD_NOT_ALLOWED', 'Use GET or HEAD.');
}

const BODY_HEADERS = ['ETag', 'Last-Modified', 'Accept-Ranges', 'Content-Length', 'Content-Range', 'Content-Encoding'];

function sendError(res: Response, thrown: unknown): AppError {
  // A path that is not even valid percent-encoding names no file.
  const error = thrown instanceof URIError ? new AppError('NOT_FOUND', 'File not found.') : toAppError(thrown);
  if (res.headersSent) {
    // Part of the body is out: only a cut connection tells the player that the rest is missing.
    res.destroy();
    return error;
  }
  for (const name of BODY_HEADERS) {
    res.removeHeader(name);
  }
  res.setHeader('Cache-Control', 'no-store');
  if (error.code === 'SERVICE_UNAVAILABLE') res.setHeader('Retry-After', '2');
  const { code, message, status } = error;
  res.status(status).json({ success: false, error: { code, message, status } });
  return error;
}
