import type { Database } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import { isUuid, parseVideoId } from '../../shared/ids.js';
import { Video, type VideoStatus } from './video.entity.js';
import { listVideosOfAccount, type VideoPosition } from './videoList.js';
import { countVideosOfAccount, type MetadataFilter } from './videoNarrowing.js';
import type { OwnerVideoSort } from './videoSorts.js';

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
  /** Inclusive. */
  readonly createdFrom?: Date | null | undefined;
  /** Exclusive. */
  readonly createdTo?: Date | null | undefined;
  readonly metadata?: { readonly key: string; readonly value?: string | null | undefined } | null | undefined;
  readonly sort?: OwnerVideoSort | undefined;
  /** Counts up to so many, where `totalCount` would be null. */
  readonly countUpTo?: number | null | undefined;
}

export interface VideoConnectionPage {
  readonly edges: readonly { readonly cursor: string; readonly node: Video }[];
  readonly hasNextPage: boolean;
  /**
   * Exact, from the account's counters; null with any filter but `status`, which would require counting each time. With
   * `countUpTo`, they are counted up to that.
   */
  readonly totalCount: number | null;
}

const MAX_PAGE = 100;
const MAX_COUNTED = 20_000;
const MAX_SEARCH_CHARACTERS = 200;
const MAX_VALUE_CHARACTERS = 500;
/** What PostgreSQL cannot store, so that nothing has it. */
const UNSTORABLE = /[\0\p{Cs}]/u;

/** Lists videos for the dashboard: forwards, by cursor, in two statements for any page. */
export class VideoConnectionReader {
  constructor(private readonly db: Database) {}

  async page(accountId: string, query: VideoConnectionQuery): Promise<VideoConnectionPage> {
    const { first, sort = '-createdAt', countUpTo = null } = query;
    if (!Number.isInteger(first) || first < 1 || first > MAX_PAGE) {
      throw new AppError('INVALID_INPUT', `first is 1 to ${MAX_PAGE}.`);
    }
    if (countUpTo !== null && !(countUpTo >= 1 && countUpTo <= MAX_COUNTED)) {
      throw new AppError('INVALID_INPUT', `countUpTo is 1 to ${MAX_COUNTED}.`);
    }
    const wanted = query.q ? parseVideoId(query.q.trim()) : null;
    if (wanted !== null) return this.pageOfOne(accountId, wanted, query);
    const narrowing = {
      status: query.status ?? undefined,
      words: query.q ? checkedSearch(query.q) : undefined,
      tag: query.tag ? checkedSearch(query.tag) : undefined,
      ...narrowingOf(query),
    };
    const page = await listVideosOfAccount(this.db.sql, accountId, {
      sort,
      limit: first,
      ...narrowing,
      after: query.after == null ? undefined : parseCursor(query.after, sort),
    }).catch((error: unknown) => {
      throw isBadCursor(error) ? badCursor() : error;
    });
    const total =
      page.total === null && countUpTo !== null
        ? await countVideosOfAccount(this.db.sql, accountId, narrowing, countUpTo)
        : page.total;
    const videos = await this.db.em().find(Video, { accountId, id: { $in: page.videos.map(({ id }) => id) } });
    const byId = new Map(videos.map((video) => [video.id, video]));
    return {
      edges: page.videos.flatMap((position) => {
        const node = byId.get(position.id);
        return node && node.deletedAt === null ? [{ cursor: cursorOf(sort, position), node }] : [];
      }),
      hasNextPage: page.next !== null,
      totalCount: total,
    };
  }

  /** The one video with this id, if the other filters let it through. */
  private async pageOfOne(accountId: string, id: string, query: VideoConnectionQuery): Promise<VideoConnectionPage> {
    const node = await this.db.em().findOne(Video, { accountId, id, deletedAt: null });
    const { after, status, tag, sort = '-createdAt' } = query;
    const { createdFrom, createdTo, metadata } = narrowingOf(query);
    const isListed =
      node &&
      after == null &&
      (!status || node.status === status) &&
      (!tag || node.tags.includes(tag)) &&
      (!createdFrom || node.createdAt >= createdFrom) &&
      (!createdTo || node.createdAt < createdTo) &&
      (!metadata || hasMetadata(node.metadata, metadata));
    // Nothing follows, so no list continues at this cursor.
    return {
      edges: isListed ? [{ cursor: cursorOf(sort, { key: '', id }), node }] : [],
      hasNextPage: false,
      totalCount: null,
    };
  }
}

function checkedSearch(text: string): string {
  if (text.length > MAX_SEARCH_CHARACTERS || UNSTORABLE.test(text)) {
    throw new AppError('INVALID_INPUT', `A search has at most ${MAX_SEARCH_CHARACTERS} characters.`);
  }
  return text;
}

/** @throws INVALID_INPUT */
function narrowingOf({ createdFrom, createdTo, metadata }: VideoConnectionQuery): {
  createdFrom: Date | undefined;
  createdTo: Date | undefined;
  metadata: MetadataFilter | undefined;
} {
  if (createdFrom && createdTo && createdFrom > createdTo) {
    throw new AppError('INVALID_INPUT', 'The period ends before it begins.');
  }
  return {
    createdFrom: createdFrom ?? undefined,
    createdTo: createdTo ?? undefined,
    metadata: metadata
      ? { key: checkedSearch(metadata.key), value: metadata.value == null ? null : checkedValue(metadata.value) }
      : undefined,
  };
}

function hasMetadata(metadata: Readonly<Record<string, string>>, { key, value }: MetadataFilter): boolean {
  return Object.hasOwn(metadata, key) && (value === null || metadata[key] === value);
}

function checkedValue(text: string): string {
  if (text.length > MAX_VALUE_CHARACTERS || UNSTORABLE.test(text)) {
    throw new AppError('INVALID_INPUT', `A value of metadata has at most ${MAX_VALUE_CHARACTERS} characters.`);
  }
  return text;
}

function cursorOf(sort: OwnerVideoSort, { key, id }: VideoPosition): string {
  return Buffer.from(JSON.stringify([sort, key, id])).toString('base64url');
}

function parseCursor(cursor: string, sort: OwnerVideoSort): VideoPosition {
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

/** A made-up cursor can contain an invalid time or number. */
function isBadCursor(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ['22007', '22008', '22P02', '22003'].includes(String(error.code));
}

function badCursor(): AppError {
  return new AppError('INVALID_INPUT', 'This cursor belongs to another list.');
}
