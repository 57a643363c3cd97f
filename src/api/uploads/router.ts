/**
 * Resumable uploads (tus 1.0) at `/uploads/{uploadId}`.
 *
 * There is no tus creation: GraphQL's createVideo opens the upload and returns its URL. So a video, its owner and its
 * size are known before the first byte, and after a reload a client needs only that URL to resume (`uploadUrl` of
 * tus-js-client, without `endpoint`). HEAD returns the offset, PATCH sends, DELETE cancels. The session's account must
 * own the upload; other uploads are 404. Posters, which are small, have their own route.
 */
import { Server } from '@tus/server';
import { Router, type Request, type Response } from 'express';

import type { Viewer } from '../../domain/accounts/viewer.js';
import type { UploadService, UploadState } from '../../domain/media/uploads/uploads.js';
import { actAs } from '../../domain/shared/actor.js';
import { AppError, errorBody } from '../../errors.js';
import type { Logger } from '../../logger.js';
import { sendUploadError, uploadError } from './errors.js';
import { LeaseLocker } from './leaseLocker.js';
import { createPosterRouter, type PosterRouterDeps } from './posterRouter.js';
import { isSameOrigin } from './sameOrigin.js';
import { StagedStore } from './stagedStore.js';
import { parseUploadKey, uploadKey } from './uploadKey.js';

/** A connection that is silent for this long is dead; its client will come back and resume. */
const IDLE_CONNECTION_MS = 60_000;
/** How long a writer may still write when another connection asks for its upload. */
const DRAIN_MS = 500;

export interface UploadRouterDeps extends PosterRouterDeps {
  readonly uploads: UploadService;
  /** The dashboard's public address; only pages below it may send requests that change something. */
  readonly publicUrl: string;
  readonly logger: Logger;
}

export function createUploadRouter(deps: UploadRouterDeps): Router {
  const keys = new WeakMap<object, string>();
  const tus = createTusServer(deps, keys);
  const publicOrigin = new URL(deps.publicUrl).origin;
  const router = Router();

  router.use((_req, res, next) => {
    res.setHeader('X-Content-Type-Options', 'nosniff');
    res.setHeader('Cache-Control', 'no-store');
    next();
  });

  router.use('/posters', createPosterRouter(deps));

  router.options('/{*path}', (req, res) => tus.handle(req, res));

  router.all('/:uploadId', async (req, res) => {
    if (!['HEAD', 'PATCH', 'DELETE'].includes(req.method)) {
      refuseMethod(res);
      return;
    }
    const viewer = await uploaderOf(deps, publicOrigin, req);
    await actAs(viewer, async () => {
      // Do this before the idle timeout applies: it hands a complete upload over to the store, which can take long.
      const upload = await deps.uploads.resume(viewer.accountId, req.params.uploadId);
      if (upload === null) throw new AppError('NOT_FOUND', 'Upload not found.');
      req.setTimeout(IDLE_CONNECTION_MS, () => req.destroy());
      if (upload.finished) {
        answerFinished(req, res, upload);
        return;
      }
      res.setHeader('Upload-Expires', upload.expiresAt.toUTCString());
      keys.set(req, uploadKey(upload));
      await tus.handle(req, res);
    });
  });

  router.all('/', (_req, res) => refuseMethod(res));
  router.use(() => {
    throw new AppError('NOT_FOUND', 'Upload not found.');
  });

  router.use((thrown: unknown, _req: Request, res: Response, _next: unknown) => {
    const error = sendUploadError(res, thrown);
    if (error.wake) deps.logger.error({ scope: 'upload', err: thrown }, 'upload failed');
  });

  return router;
}

/** @throws UNAUTHENTICATED, FORBIDDEN, ACCOUNT_SUSPENDED */
async function uploaderOf(deps: UploadRouterDeps, publicOrigin: string, req: Request): Promise<Viewer> {
  if (req.method !== 'HEAD' && !isSameOrigin(req, publicOrigin)) {
    throw new AppError('FORBIDDEN', 'Uploads are sent from our own pages only.');
  }
  const viewer = await deps.viewerOf(req);
  if (viewer === null) throw new AppError('UNAUTHENTICATED', 'Please sign in.');
  if (viewer.suspended) throw new AppError('ACCOUNT_SUSPENDED', 'This account is suspended.');
  return viewer;
}

/** A client that lost the last response learns here that everything arrived. */
function answerFinished(req: Request, res: Response, upload: UploadState): void {
  if (req.method === 'DELETE') throw new AppError('INVALID_STATE', 'This upload is finished.');
  const size = String(upload.sizeBytes);
  if (req.method === 'PATCH' && (req.headers['upload-offset'] !== size || req.headers['content-length'] !== '0')) {
    throw new AppError('INVALID_STATE', 'This upload is finished.');
  }
  res.setHeader('Tus-Resumable', '1.0.0');
  res.setHeader('Upload-Offset', size);
  if (req.method === 'HEAD') res.setHeader('Upload-Length', size);
  res.status(req.method === 'HEAD' ? 200 : 204).end();
}

function refuseMethod(res: Response): void {
  res.setHeader('Allow', 'HEAD, PATCH, DELETE, OPTIONS');
  throw new AppError('METHOD_NOT_ALLOWED', 'Create uploads through the API. They can’t be read back.');
}

function createTusServer(deps: UploadRouterDeps, keys: WeakMap<object, string>): Server {
  return new Server({
    path: '/uploads',
    datastore: new StagedStore(deps.uploads),
    locker: new LeaseLocker(deps.uploads.leases, deps.logger),
    lockDrainTimeout: DRAIN_MS,
    maxSize: deps.uploads.maxSizeBytes,
    allowedOrigins: [new URL(deps.publicUrl).origin],
    // Only requests that the routes above authorized have a key, so the path is not checked again.
    getFileIdFromRequest: (req) => {
      const node = req.runtime?.node?.req;
      return node === undefined ? undefined : keys.get(node);
    },
    onUploadFinish: async (req, upload) => {
      // All bytes are here; the client must not time out while the store takes them.
      req.runtime?.node?.req?.setTimeout(0);
      await deps.uploads.finish(parseUploadKey(upload.id));
      return {};
    },
    onResponseError: (_req, thrown) => {
      const { error, status } = uploadError(thrown);
      if (error.wake) deps.logger.error({ scope: 'upload', err: error }, 'upload failed');
      return { status_code: status, body: JSON.stringify(errorBody(error, status)) };
    },
  });
}
