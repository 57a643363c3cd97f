import type { VideoPage } from '../../../domain/media/library/videoList.js';
import type { Pagination } from '../schemas/envelope.js';
import type { ListParameters } from '../schemas/listParameters.js';

/** @param nextCursor of the page after this one, `null` at the end */
export function paginationView(list: ListParameters, page: VideoPage, nextCursor: string | null): Pagination {
  return {
    limit: list.limit,
    total: page.total,
    hasMore: nextCursor !== null,
    nextCursor,
    page: list.cursor === undefined ? (list.page ?? 1) : null,
    totalPages: page.total === null ? null : Math.ceil(page.total / list.limit),
  };
}
