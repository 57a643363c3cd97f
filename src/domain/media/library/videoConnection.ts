import type { Database } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import { isUuid, parseVideoId } from '../../shared/ids.js';
import { Video, type VideoStatus } from './video.entity.js';
import { listVideosOfAccount, type VideoPosition, type VideoSort } from './videoList.js';

export interface VideoConnectionQuery {
  /** 1 to 100. */
  readonly first: number;
  readonly after?: string | null | undefined;
  readonly status?: VideoStatus | null | undefined;
  /**
   * Prefixes of words in the title, all of which must match, since someone may still be typing the last one. Or the whole
   * id of a video, in either spelling.
   */
  readonly q?: string | null | undefined;
  readonly tag?: string | null | undefined;
  readonly sort?: VideoSort | undefined;
}

export interface VideoConnectionPage {
  readonly edges: readonly { readonly cursor: string; readonly node: Video }[];
  readonly hasNextPage: boolean;
  /** Exact, from the account's counters; null with `q` or `tag`, which would require counting each time. */
  readonly totalCount: number | null;
}

const MAX_PAGE = 100;
const MAX_SEARCH_CHARACTERS = 200;

/** Lists videos for the dashboard: forwards, by cursor, in two statements for any page. */
export class VideoConnectionReader {
  constructor(private readonly db: Database) {}

  async page(accountId: string, query: VideoConnectionQuery): Promise<VideoConnectionPage> {
    const { first, sort = '-createdAt' } = query;
    if (!Number.isInteger(first) || first < 1 || first > MAX_PAGE) {
      throw new AppError('INVALID_INPUT', `first is 1 to ${MAX_PAGE}.`);
    }
    const wanted = query.q ? parseVideoId(query.q.trim()) : null;
    if (wanted !== null) return this.pageOfOne(accountId, wanted, query);
    const page = await listVideosOfAccount(this.db.sql, accountId, {
      sort,
      limit: first,
      status: query.status ?? undefined,
      words: query.q ? checkedSearch(query.q) : undefined,
      tag: query.tag ? checkedSearch(query.tag) : undefined,
      after: query.after == null ? undefined : parseCursor(query.after, sort),
    }).catch((error: unknown) => {
      throw isBadCursor(error) ? badCursor() : error;
    });
    const videos = await this.db.em().find(Video, { accountId, id: { $in: page.videos.map(({ id }) => id) } });
    const byId = new Map(videos.map((video) => [video.id, video]));
    return {
      edges: page.videos.flatMap((position) => {
        const node = byId.get(position.id);
        return node && node.deletedAt === null ? [{ cursor: cursorOf(sort, position), node }] : [];
      }),
      hasNextPage: page.next !== null,
      totalCount: page.total,
    };
  }

  /** The one video with this id, if the other filters let it through. */
  private async pageOfOne(
    accountId: string,
    id: string,
    { after, status, tag, sort = '-createdAt' }: VideoConnectionQuery,
  ): Promise<VideoConnectionPage> {
    const node = await this.db.em().findOne(Video, { accountId, id, deletedAt: null });
    const isListed = node && after == null && (!status || node.status === status) && (!tag || node.tags.includes(tag));
    const key = sort === 'title' ? node?.title.toLowerCase() : node?.createdAt.toISOString();
    return {
      edges: isListed ? [{ cursor: cursorOf(sort, { key: key ?? '', id }), node }] : [],
      hasNextPage: false,
      totalCount: null,
    };
  }
}

function checkedSearch(text: string): string {
  if (text.length > MAX_SEARCH_CHARACTERS || /[\0\p{Cs}]/u.test(text)) {
    throw new AppError('INVALID_INPUT', `A search has at most ${MAX_SEARCH_CHARACTERS} characters.`);
  }
  return text;
}

function cursorOf(sort: VideoSort, { key, id }: VideoPosition): string {
  return Buffer.from(JSON.stringify([sort, key, id])).toString('base64url');
}

function parseCursor(cursor: string, sort: VideoSort): VideoPosition {
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    throw badCursor();
  }
  if (!Array.isArray(parts) || parts.length !== 3) throw badCursor();
  const [forSort, key, id] = parts as unknown[];
  if (forSort !== sort || typeof key !== 'string' || typeof id !== 'string' || !isUuid(id) || key.includes('\0')) {
    throw badCursor();
  }
  return { key, id };
}

/** A made-up cursor can contain an invalid time. */
function isBadCursor(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === '22007' || error.code === '22008');
}

function badCursor(): AppError {
  return new AppError('INVALID_INPUT', 'This cursor belongs to another list.');
}
