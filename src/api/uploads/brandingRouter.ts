/**
 * An account's logo, authenticated by the dashboard's session.
 *
 * - `PUT /branding/logo`: the body is the file itself. It is small, so one request is enough.
 * - `GET /branding/logo/{sha256}.png`: the processed logo.
 * - `GET /branding/preview.jpg?position=…&widthPercent=…&marginPercent=…&opacityPercent=…[&video=…]`: a preview of its
 *   placement.
 */
import type { IncomingMessage } from 'node:http';

import { Router, type NextFunction, type Request, type Response } from 'express';

import { liveModeOnly } from '../../domain/accounts/testMode/testMode.service.js';
import { assertNotOver, readOnlyView } from '../../domain/operations/support/ownerView.service.js';
import type { Viewer } from '../../domain/accounts/viewer.js';
import { logoTooLarge, MAX_LOGO_BYTES, type BrandService } from '../../domain/media/branding/brand.service.js';
import { parseVideoId } from '../../domain/shared/ids.js';
import { AppError } from '../../errors.js';
import type { Logger } from '../../logger.js';
import type { BrandPlacement, BrandPosition } from '../../ports/brand.js';
import { sendUploadError } from './errors.js';
import { readBody } from './readBody.js';
import { isSameOrigin } from './sameOrigin.js';

const IDLE_CONNECTION_MS = 60_000;

export interface BrandingRouterDeps {
  readonly brands: Pick<BrandService, 'setLogo' | 'logoPng' | 'preview'>;
  readonly viewerOf: (req: IncomingMessage) => Promise<Viewer | null>;
  /** The dashboard's public address; only pages below it may send requests that change something. */
  readonly publicUrl: string;
  readonly logger: Logger;
}

export function createBrandingRouter({ brands, viewerOf, publicUrl, logger }: BrandingRouterDeps): Router {
  const publicOrigin = new URL(publicUrl).origin;
  const router = Router({ caseSensitive: true });

  router.use((_req, res, next) => {
    res.setHeader('X-Content-Type-Options', 'nosniff');
    res.setHeader('Content-Security-Policy', "default-src 'none'; sandbox");
    res.setHeader('Cache-Control', 'private, no-store');
    next();
  });

  router.put('/logo', async (req, res) => {
    if (!isSameOrigin(req, publicOrigin)) throw new AppError('FORBIDDEN', 'Logos are sent from our own pages only.');
    const { accountId } = await activeViewer(viewerOf, req);
    req.setTimeout(IDLE_CONNECTION_MS, () => req.destroy());
    const { version } = await brands.setLogo(accountId, await readBody(req, MAX_LOGO_BYTES, logoTooLarge));
    res.json({ success: true, data: { version } });
  });

  router.get('/logo/:sha256.png', async (req, res) => {
    const { accountId } = await viewer(viewerOf, req);
    const png = await brands.logoPng(accountId, req.params.sha256);
    if (png === null) throw new AppError('NOT_FOUND', 'Logo not found.');
    // The name is a hash of the content, so it can be cached forever.
    res.setHeader('Cache-Control', 'private, max-age=31536000, immutable');
    res.type('image/png').send(png);
  });

  router.get('/preview.jpg', async (req, res) => {
    const { accountId } = await activeViewer(viewerOf, req);
    res.type('image/jpeg').send(await brands.preview(accountId, placementIn(req), videoIn(req)));
  });

  router.use(() => {
    throw new AppError('NOT_FOUND', 'Not found.');
  });

  router.use((thrown: unknown, _req: Request, res: Response, _next: NextFunction) => {
    // The client has disconnected: nothing to send, nothing to log.
    if (res.destroyed) return;
    res.removeHeader('Content-Type');
    const error = sendUploadError(res, thrown);
    if (error.wake || error.code === 'SERVICE_UNAVAILABLE') {
      logger.error({ scope: 'request', err: thrown }, 'branding failed');
    }
  });

  return router;
}

type ViewerOf = BrandingRouterDeps['viewerOf'];

async function viewer(viewerOf: ViewerOf, req: Request): Promise<Viewer> {
  const found = await viewerOf(req);
  if (found === null) throw new AppError('UNAUTHENTICATED', 'Please sign in.');
  if (found.mode === 'test') throw liveModeOnly();
  assertNotOver(found.view);
  return found;
}

async function activeViewer(viewerOf: ViewerOf, req: Request): Promise<Viewer> {
  const found = await viewer(viewerOf, req);
  if (found.view !== null) throw readOnlyView();
  if (found.suspended) throw new AppError('ACCOUNT_SUSPENDED', 'This account is suspended.');
  return found;
}

/** Parses leniently: the service reports what is wrong. */
function placementIn(req: Request): BrandPlacement {
  const whole = (name: string): number => {
    const text = parameter(req, name) ?? '';
    return /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  };
  return {
    position: (parameter(req, 'position') ?? '') as BrandPosition,
    widthPercent: whole('widthPercent'),
    marginPercent: whole('marginPercent'),
    opacityPercent: whole('opacityPercent'),
  };
}

/** @throws VIDEO_NOT_FOUND for an invalid id */
function videoIn(req: Request): string | null {
  const video = parameter(req, 'video');
  const videoId = video === null ? null : parseVideoId(video);
  if (video !== null && videoId === null) throw new AppError('VIDEO_NOT_FOUND', 'Video not found.');
  return videoId;
}

function parameter({ query }: Request, name: string): string | null {
  const value = query[name];
  return typeof value === 'string' ? value : null;
}
