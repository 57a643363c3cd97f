/**
 * Uploads a picture as the poster of one's own video: `PUT /uploads/posters/{video}` with the file itself as the body.
 * It is small, so one request is enough. The response contains the poster's address.
 */
import type { IncomingMessage } from 'node:http';

import { Router, type Request } from 'express';

import type { Viewer } from '../../domain/accounts/viewer.js';
import { actAs } from '../../domain/shared/actor.js';
import { parseVideoId } from '../../domain/shared/ids.js';
import { MAX_PICTURE_BYTES, pictureTooLarge, type PosterService } from '../../domain/media/posters/poster.service.js';
import { AppError } from '../../errors.js';
import { readBody } from './readBody.js';
import { isSameOrigin } from './sameOrigin.js';

/**
 * Much longer than 5 MB take on a slow connection. Only a few can be read at once, and each sender occupies one place.
 */
const PICTURE_WITHIN_MS = 120_000;

export interface PosterRouterDeps {
  readonly posters: Pick<PosterService, 'takePicture'>;
  readonly viewerOf: (req: IncomingMessage) => Promise<Viewer | null>;
  readonly publicUrl: string;
  /** How long a picture may take to arrive. Default two minutes. */
  readonly pictureWithinMs?: number;
}

export function createPosterRouter({ posters, viewerOf, publicUrl, pictureWithinMs }: PosterRouterDeps): Router {
  const publicOrigin = new URL(publicUrl).origin;
  const router = Router();

  router.put('/:video', async (req, res) => {
    if (!isSameOrigin(req, publicOrigin)) {
      throw new AppError('FORBIDDEN', 'Posters are sent from our own pages only.');
    }
    const viewer = await viewerOf(req);
    if (viewer === null) throw new AppError('UNAUTHENTICATED', 'Please sign in.');
    if (viewer.suspended) throw new AppError('ACCOUNT_SUSPENDED', 'This account is suspended.');
    const videoId = parseVideoId(req.params.video);
    if (videoId === null) throw new AppError('VIDEO_NOT_FOUND', 'Video not found.');
    await actAs(viewer, () => posters.takePicture(viewer.accountId, videoId, () => readPicture(req, pictureWithinMs)));
    res.json({ success: true, data: {} });
  });

  router.all('/:video', (_req, res) => {
    res.setHeader('Allow', 'PUT');
    throw new AppError('METHOD_NOT_ALLOWED', 'Use PUT. Posters are read at their own URL.');
  });

  return router;
}

/** @throws FILE_TOO_LARGE before reading all of it */
async function readPicture(req: Request, withinMs = PICTURE_WITHIN_MS): Promise<Buffer> {
  const late = setTimeout(() => req.destroy(new AppError('INVALID_INPUT', 'No image received in time.')), withinMs);
  try {
    return await readBody(req, MAX_PICTURE_BYTES, pictureTooLarge);
  } finally {
    clearTimeout(late);
  }
}
