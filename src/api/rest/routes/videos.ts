import type { Pagination } from '../schemas/envelope.js';
import type { Request, Response, Router } from 'express';

import type { Database, Sql } from '../../../db/sql.js';
import { SingleVideos } from '../../../domain/media/library/singleVideos.js';
import { VideoLists, type VideoPage, type VideoQuery } from '../../../domain/media/library/videoList.js';
import { checkKey } from '../../../domain/media/library/videoRow.js';
import { apiKeyHashOf } from '../apiKey.js';
import type { Cursors } from '../cursor.js';
import { bodyOf, sendBody } from '../envelope.js';
import { methodNotAllowed } from '../errors.js';
import { PRIVATE } from '../headers.js';
import { KeptPages } from '../keptPages.js';
import { parseListParameters, refuseParameters } from '../parameters.js';
import type { ListParameters } from '../schemas/listParameters.js';
import { videoDetailView, videoView } from '../views/videoView.js';

export interface VideoRouteDeps {
  readonly db: Database;
  readonly cursors: Cursors;
  /** Without a trailing slash. */
  readonly publicUrl: string;
}

/** Adds the routes that read the caller's videos. They return metadata only. */
export function addVideoRoutes(router: Router, { db, cursors, publicUrl }: VideoRouteDeps): void {
  const lists = new VideoLists(db.sql);
  const singles = new SingleVideos(db.sql);
  const kept = new KeptPages();

  router
    .route('/video')
    .get(async (req: Request, res: Response) => {
      const keyHash = apiKeyHashOf(req);
      // Send the same page again if nothing in the account's lists has changed since.
      const page = kept.get(keyHash, req.url);
      if (page && page.version === (await lists.version(keyHash))) {
        sendBody(req, res, page.body, PRIVATE);
        return;
      }
      const { list, query } = await forKeyHolders(db.sql, keyHash, () => pageOf(cursors, req.url));
      const { version, ...found } = await lists.page(keyHash, query);

      const nextCursor = found.next && cursors.write(list, found.next);
      const data = found.videos.map((row) => videoView(row, publicUrl));
      const body = bodyOf({ success: true, data, pagination: paginationView(list, found, nextCursor) });
      if (kept.isWanted(keyHash, req.url)) kept.set(keyHash, req.url, { version, body });
      sendBody(req, res, body, PRIVATE);
    })
    .all(methodNotAllowed('GET, HEAD, OPTIONS'));

  router
    .route('/video/:videoId')
    .get(async (req: Request<{ videoId: string }>, res: Response) => {
      const keyHash = apiKeyHashOf(req);
      await forKeyHolders(db.sql, keyHash, () => refuseParameters(req.url));
      const row = await singles.get(keyHash, req.params.videoId);

      sendBody(req, res, bodyOf({ success: true, data: videoDetailView(row, publicUrl) }), PRIVATE);
    })
    .all(methodNotAllowed('GET, HEAD, OPTIONS'));
}

/** Reads the query string. @throws INVALID_PARAMETER */
function pageOf(cursors: Cursors, url: string): { list: ListParameters; query: VideoQuery } {
  const list = parseListParameters(url);
  const { limit, sort, status, q, tag, cursor } = list;
  const after = cursor === undefined ? undefined : cursors.read(list, cursor);
  return { list, query: { limit, sort, status, words: q, tag, after, offset: ((list.page ?? 1) - 1) * limit } };
}

/** Reports a wrong parameter only to callers with a valid key. Only refused requests pay for the key check. */
async function forKeyHolders<Query>(sql: Sql, keyHash: Buffer, read: () => Query): Promise<Query> {
  try {
    return read();
  } catch (error) {
    await checkKey(sql, keyHash);
    throw error;
  }
}

/** @param nextCursor of the page after this one, `null` at the end */
function paginationView(list: ListParameters, page: Pick<VideoPage, 'total'>, nextCursor: string | null): Pagination {
  return {
    limit: list.limit,
    total: page.total,
    hasMore: nextCursor !== null,
    nextCursor,
    page: list.cursor === undefined ? (list.page ?? 1) : null,
    totalPages: page.total === null ? null : Math.ceil(page.total / list.limit),
  };
}
