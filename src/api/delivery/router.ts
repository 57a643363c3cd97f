/**
 * The edge: what players fetch, at `/media`.
 *
 *   /{grant}/{video}/master.m3u8                      made from what is published
 *   /{grant}/{video}/{attempt}-{run}/{rendition}/index.m3u8   while that rendition of that run plays
 *   /{grant}/{video}/{attempt}-{run}/{rendition}/iframes.m3u8 its keyframes, under the same condition
 *   /{grant}/{video}/{attempt}-{run}/{rendition}/{segment}    while anything of the video plays; playlists may name the
 *                                                        bucket or a CDN instead
 *   /{grant}/{video}/captions/{id}.m3u8 or .vtt       made from the database, as /{grant}/{video}/chapters.vtt is
 *   /{grant}/{video}/{attempt}-{run}/storyboard/{file}   its index and sheets, and the I-frame track, checked like playlists
 *   /{grant}/{video}/{attempt}-{run}/key/{index}         16 bytes that open encrypted segments; always from here,
 *                                                        checked like playlists
 *   /{grant}/{video}/report                           POST: what the player measured of its view
 *   /posters/{account}/{video}/{token}.jpg or .webp   for everyone with the link
 *
 * The grant is in the path, so that every relative address below inherits it in every player. Everything below a grant
 * is refused within two seconds after the video was deleted, its account suspended, or the clock of its test account
 * moved past the grant's expiry.
 */
import { Router, type Request, type Response } from 'express';

import { segmentKey, type PublishedMedia } from '../../domain/media/library/publishedMedia.js';
import type { MediaKeyService } from '../../domain/media/keys/mediaKeys.service.js';
import type { ViewRecorder } from '../../domain/playback/analytics/viewRecorder.js';
import type { MovedClocks } from '../../domain/accounts/testMode/movedClocks.js';
import { AppError, errorBody, toAppError } from '../../errors.js';
import type { Logger } from '../../logger.js';
import type { ObjectStore } from '../../ports/objectStore.js';
import { AtOnce, type AtOnceDeps } from './atOnce.js';
import {
  accelHeaders,
  COMMON_HEADERS,
  MEDIA_ROUTES,
  PLAYLIST,
  POSTER,
  PREVIEW,
  segmentHeaders,
  storyboardHeaders,
  WEBVTT,
} from './headers.js';
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
import { ObjectCache } from './objectCache.js';
import { byServiceClock, type OpenGrant, OpenGrants } from './openGrants.js';
import { Reports } from './reports.js';
import type { SegmentSource } from './segmentSource.js';
import { sendObject, sendSecret, sendText } from './sendObject.js';
import { TextBodies } from './textBody.js';

/** The limit for stored playlists, and again for generated ones. */
const MAX_PLAYLIST_BYTES = 16 * 1024 * 1024;
const PREFLIGHT_SECONDS = 24 * 3600;

export interface DeliveryDeps {
  readonly media: PublishedMedia;
  readonly store: ObjectStore;
  /** Keeps objects of the store in memory. Default: keeps nothing. */
  readonly objects?: ObjectCache;
  readonly mediaKeys: MediaKeyService;
  /** Where players fetch segments. Default: from here. */
  readonly segments?: SegmentSource | null;
  /** Whether nginx in front sends segments from the disk store, told by `X-Accel-Redirect`. */
  readonly isAccelerated?: boolean;
  /** `deriveKey(masterKey, 'playback-grant')` */
  readonly grantKey: Uint8Array;
  /** Grant keys of earlier master keys, so that views continue when the master key changes. */
  readonly previousGrantKeys?: readonly Uint8Array[];
  /** Keeps what players report. Default: refuses reports. */
  readonly views?: Pick<ViewRecorder, 'reported'>;
  /** For the reports. Default: all accounts are live. */
  readonly movedClocks?: Pick<MovedClocks, 'movedSeconds'>;
  /** Number of proxies in front whose `X-Forwarded-For` is trusted. Default: none. */
  readonly trustProxies?: number;
  readonly logger: Logger;
  /** Epoch seconds. Default: the machine's clock. */
  readonly nowEpochSeconds?: () => number;
}

export interface Delivery {
  /** Answers all requests below `/media`. */
  readonly router: Router;
  /** Answers the same requests if it can do so from memory. */
  readonly atOnce: AtOnce;
  /** Answers reports of players, which the router refuses. */
  readonly reports: Reports | null;
}

export function createDelivery(deps: DeliveryDeps): Delivery {
  const { media, store, segments, nowEpochSeconds = () => Date.now() / 1000 } = deps;
  const { objects = new ObjectCache(store, 0), isAccelerated = false } = deps;
  const grants = new OpenGrants([deps.grantKey, ...(deps.previousGrantKeys ?? [])], nowEpochSeconds);
  const playlists = new ObjectCache(store, MAX_PLAYLIST_BYTES);
  const bodies = new TextBodies(MAX_PLAYLIST_BYTES);
  const parts = { media, grants, objects, playlists, bodies, isStored: !segments, isAccelerated, nowEpochSeconds };
  const { views, movedClocks = { movedSeconds: () => Promise.resolve(0) }, trustProxies = 0 } = deps;
  return {
    router: createRouter(deps, parts),
    atOnce: new AtOnce(parts),
    reports: views ? new Reports({ grants, views, movedClocks, trustProxies, nowEpochSeconds }) : null,
  };
}

function createRouter(
  { store, mediaKeys, segments, logger }: DeliveryDeps,
  { media, grants, objects, playlists, bodies, isAccelerated, nowEpochSeconds }: AtOnceDeps,
): Router {
  const linked = segments ? new LinkedPlaylists(store, segments) : null;
  const router = Router({ caseSensitive: true, strict: true });

  const granted = async (req: Request): Promise<OpenGrant> => {
    const grant = grants.open(String(req.params['grant']), String(req.params['video']));
    // The answer is in memory when the handler asks about the same video.
    const moved = grant && (await media.movedSeconds(grant.accountId, grant.videoId));
    const valid = grant && byServiceClock(grant, moved ?? 0, nowEpochSeconds());
    if (valid === null) throw new AppError('FORBIDDEN', 'This playback link is invalid or has expired.');
    return valid;
  };

  router.use((req, res, next) => {
    for (let at = 0; at < COMMON_HEADERS.length; at += 2) res.setHeader(COMMON_HEADERS[at]!, COMMON_HEADERS[at + 1]!);
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
    await sendObject(req, res, objects, key, isPoster ? POSTER : PREVIEW);
  });

  router.get(MEDIA_ROUTES.master, async (req, res) => {
    const videoId = videoUuid(req.params);
    const { accountId } = await granted(req);
    const playlist = await media.masterPlaylist(accountId, videoId, req.headers);
    if (playlist === null) throw new AppError('VIDEO_NOT_FOUND', 'Video not found.');
    await sendText(req, res, bodies.of(playlist), PLAYLIST);
  });

  router.get('/:grant/:video/chapters.vtt', async (req, res) => {
    const videoId = videoUuid(req.params);
    const { accountId } = await granted(req);
    const chapters = await media.chapters(accountId, videoId, req.headers);
    if (chapters === null) throw new AppError('NOT_FOUND', 'File not found.');
    await sendText(req, res, bodies.of(chapters), WEBVTT);
  });

  router.get('/:grant/:video/captions/:file', async (req, res) => {
    const videoId = videoUuid(req.params);
    const { captionId, kind } = captionFile(req.params);
    const { accountId } = await granted(req);
    const caption = await media.caption(accountId, videoId, captionId, req.headers);
    if (caption === null) throw new AppError('NOT_FOUND', 'File not found.');
    await sendText(req, res, bodies.of(caption[kind]), kind === 'vtt' ? WEBVTT : PLAYLIST);
  });

  router.get('/:grant/:video/:run/storyboard/:file', async (req, res) => {
    const videoId = videoUuid(req.params);
    const { run, file } = storyboardFile(req.params);
    const { accountId, expiresAt } = await granted(req);
    const key = await media.storyboardKey({ accountId, videoId, run }, file);
    if (key === null) throw new AppError('VIDEO_NOT_FOUND', 'Video not found.');
    await sendObject(req, res, objects, key, storyboardHeaders(file, expiresAt - nowEpochSeconds()));
  });

  router.get('/:grant/:video/:run/key/:index', async (req, res) => {
    const videoId = videoUuid(req.params);
    const { keyIndex, ...run } = keyOf(req.params);
    const { accountId } = await granted(req);
    const video = await media.open(accountId, videoId, req.headers);
    const key = video && (await mediaKeys.find({ accountId, videoId, ...run }, keyIndex));
    if (key === null) throw new AppError('VIDEO_NOT_FOUND', 'Video not found.');
    sendSecret(req, res, key);
  });

  router.get(MEDIA_ROUTES.playlist, async (req, res) => {
    const videoId = videoUuid(req.params);
    const rendition = renditionOf(req.params);
    const { accountId, expiresAt } = await granted(req);
    const ref = { accountId, videoId, ...rendition };
    const key = await media.playlistKey(ref, req.headers, playlistFile(req.params));
    if (key === null) throw new AppError('VIDEO_NOT_FOUND', 'Video not found.');
    if (linked === null) {
      await sendObject(req, res, playlists, key, PLAYLIST);
      return;
    }
    const as = { ...ref, expiresAt, grant: req.params.grant, video: req.params.video };
    const playlist = await linked.playlist(key, as, Math.floor(nowEpochSeconds()));
    if (playlist === null) throw new AppError('NOT_FOUND', 'File not found.');
    await sendText(req, res, bodies.of(playlist), PLAYLIST);
  });

  router.get(MEDIA_ROUTES.segment, async (req, res) => {
    const videoId = videoUuid(req.params);
    const rendition = renditionOf(req.params);
    const file = segmentFile(req.params);
    const { accountId, expiresAt } = await granted(req);
    if (!(await media.plays(accountId, videoId))) throw new AppError('VIDEO_NOT_FOUND', 'Video not found.');
    const key = segmentKey({ accountId, videoId, ...rendition }, file);
    const as = segmentHeaders(rendition.rendition, expiresAt - nowEpochSeconds());
    if (!isAccelerated) return sendObject(req, res, objects, key, as);
    res.setHeader(...accelHeaders(key));
    res.setHeader('Cache-Control', as.cacheControl);
    res.setHeader('Content-Type', as.contentType);
    res.setHeader('Content-Length', 0);
    res.end();
  });

  router.use(() => {
    throw new AppError('NOT_FOUND', 'File not found.');
  });

  router.use((thrown: unknown, _req: Request, res: Response, _next: unknown) => {
    const error = sendError(res, thrown);
    // Never with the address: it opens the video.
    if (error.wake) logger.error({ scope: 'video', err: thrown }, 'delivery failed');
  });

  return router;
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
  // A path with invalid percent-encoding names no file.
  const error = thrown instanceof URIError ? new AppError('NOT_FOUND', 'File not found.') : toAppError(thrown);
  if (res.headersSent) {
    // Part of the body is sent already. Only a cut connection tells the player that the rest is missing.
    res.destroy();
    return error;
  }
  for (const name of BODY_HEADERS) {
    res.removeHeader(name);
  }
  res.setHeader('Cache-Control', 'no-store');
  if (error.code === 'SERVICE_UNAVAILABLE') res.setHeader('Retry-After', '2');
  res.status(error.status).json(errorBody(error));
  return error;
}
