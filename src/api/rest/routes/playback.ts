import type { Request, Response, Router } from 'express';

import { MAX_USER_AGENT_LENGTH } from '../../../domain/playback/analytics/visitor.js';
import type { Visitor } from '../../../domain/playback/analytics/writeViews.js';
import type { PlaybackService, Manifest, PlaybackToken } from '../../../domain/playback/playback.service.js';
import { MintRefusal } from '../../../domain/playback/quota.js';
import type { PageHeaders } from '../../../domain/accounts/allowedSites.js';
import { AppError } from '../../../errors.js';
import { apiKeyOf } from '../apiKey.js';
import { sendData } from '../envelope.js';
import { methodNotAllowed } from '../errors.js';
import { MANIFEST, MANIFEST_PREFLIGHT, NO_STORE, rateLimit } from '../headers.js';
import { refuseParameters } from '../parameters.js';
import { quotaFor } from '../quotaFor.js';
import type { ManifestBody, PlaybackTokenBody } from '../schemas/playback.js';

/** What the browser says about the page that requests the manifest. */
function pageOf({ headers }: Request<{ token: string }>): PageHeaders {
  const embedder = headers['x-dhara-embedder'];
  return { origin: headers.origin, referer: headers.referer, embedder: Array.isArray(embedder) ? undefined : embedder };
}

/** Who watches. A HEAD request is not a view. */
function visitorOf(req: Request<{ token: string }>, countryHeader: string | null): Visitor | null {
  if (req.method !== 'GET') return null;
  const country = countryHeader === null ? undefined : req.headers[countryHeader];
  return {
    address: req.ip,
    userAgent: req.headers['user-agent']?.slice(0, MAX_USER_AGENT_LENGTH),
    country: typeof country === 'string' ? country : undefined,
  };
}

/**
 * Adds the routes that mint playback tokens and exchange them.
 *
 * @param countryHeader in which a proxy tells the visitor's country, lower case; `null` for none
 */
export function addPlaybackRoutes(router: Router, playback: PlaybackService, countryHeader: string | null): void {
  // One token plays the whole video once. The request needs no body, and a body is not read.
  router
    .route('/video/:videoId/playback-token')
    .post(async (req: Request<{ videoId: string }>, res: Response) => {
      await forKeyHolders(playback, apiKeyOf(req), () => refuseParameters(req.url));
      const minted = await playback.mint(apiKeyOf(req), req.params.videoId);

      sendData(res, playbackTokenView(minted.token), { ...NO_STORE, ...rateLimit(minted.quota) });
    })
    .options(async (req: Request, res: Response) => {
      const quota = await quotaFor(playback, apiKeyOf(req));
      res.writeHead(204, { Allow: 'POST, OPTIONS', ...NO_STORE, ...rateLimit(quota) });
      res.end();
    })
    .all(methodNotAllowed('POST, OPTIONS'));

  // For player SDKs, which have nothing but the token in the path.
  router
    .route('/video/playback/manifest/:token')
    .get(async (req: Request<{ token: string }>, res: Response) => {
      refuseParameters(req.url);
      const manifest = await playback.manifest(req.params.token, pageOf(req), visitorOf(req, countryHeader));

      sendData(res, manifestView(manifest), MANIFEST);
    })
    .options((_req: Request, res: Response) => {
      res.writeHead(204, { Allow: 'GET, HEAD, OPTIONS', ...MANIFEST_PREFLIGHT });
      res.end();
    })
    .all(methodNotAllowed('GET, HEAD, OPTIONS'));
}

/**
 * Reports a wrong parameter only to callers with a valid key, before a token is counted. Only refused requests pay for
 * the key check.
 */
async function forKeyHolders(playback: PlaybackService, key: string, read: () => void): Promise<void> {
  try {
    read();
  } catch (error) {
    const quota = await playback.standing(key);
    throw error instanceof AppError ? new MintRefusal(error.code, error.message, quota) : error;
  }
}

function playbackTokenView(token: PlaybackToken): PlaybackTokenBody {
  return {
    token: token.token,
    videoId: token.videoId,
    expiresAt: token.expiresAt.toISOString(),
    expiresIn: token.expiresInSeconds,
    manifestUrl: token.manifestUrl,
  };
}

function manifestView(manifest: Manifest): ManifestBody {
  return {
    url: manifest.url,
    type: 'application/vnd.apple.mpegurl',
    videoId: manifest.videoId,
    title: manifest.title,
    durationSeconds: manifest.durationMs / 1000,
    posterUrl: manifest.posterUrl,
    storyboardUrl: manifest.storyboardUrl,
    chaptersUrl: manifest.chaptersUrl,
    captions: [...manifest.captions],
    expiresAt: manifest.expiresAt.toISOString(),
  };
}
