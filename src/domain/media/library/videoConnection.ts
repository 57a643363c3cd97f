import type { Database, Statement } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import { isUuid } from '../../shared/ids.js';
import { prefixQuery } from './prefixQuery.js';
import { Video, type VideoStatus } from './video.entity.js';

export type VideoOrder = '-createdAt' | 'createdAt' | 'title';

export interface VideoQuery {
  /** 1 to 100. */
  readonly first: number;
  readonly after?: string | null | undefined;
  readonly status?: VideoStatus | null | undefined;
  /** Beginnings of words in the title, all of them: somebody may still be typing the last. */
  readonly q?: string | null | undefined;
  readonly tag?: string | null | undefined;
  readonly sort?: VideoOrder | undefined;
}

export interface VideoPage {
  readonly edges: readonly { readonly cursor: string; readonly node: Video }[];
  readonly hasNextPage: boolean;
  /** Exact, from the account's counters; null with `q` or `tag`, where it would mean counting each time. */
  readonly totalCount: number | null;
}

const MAX_PAGE = 100;
const MAX_SEARCH_CHARACTERS = 200;

/** Each order is an index walk; the key is written as text because a Date would round it to milliseconds. */
const ORDERS: Record<VideoOrder, { key: string; type: string; direction: 'asc' | 'desc' }> = {
  '-createdAt': { key: 'v.created_at', type: 'timestamptz', direction: 'desc' },
  createdAt: { key: 'v.created_at', type: 'timestamptz', direction: 'asc' },
  title: { key: '(lower(v.title) collate "C")', type: 'text', direction: 'asc' },
};

const COUNTS: Statement = {
  name: 'videos-counts',
  text: `
    select awaiting_upload, uploading, uploaded, queued, processing, ready, failed
    from video_count where account_id = $1`,
};

/** Lists videos for the dashboard: forwards, by cursor, in two statements whatever the page holds. */
export class VideoConnectionReader {
  constructor(private readonly db: Database) {}

  async page(accountId: string, query: VideoQuery): Promise<VideoPage> {
    const { first, sort = '-createdAt' } = query;
    if (!Number.isInteger(first) || first < 1 || first > MAX_PAGE) {
      throw new AppError('INVALID_INPUT', `first is 1 to ${MAX_PAGE}.`);
    }
    const { statement, values } = keysStatement(accountId, query, sort);
    const keys = await this.db.sql.query<{ id: string; key: string }>(statement, values).catch((error: unknown) => {
      throw isBadCursor(error) ? badCursor() : error;
    });
    const shown = keys.slice(0, first);
    const videos = await this.db.em().find(Video, { accountId, id: { $in: shown.map(({ id }) => id) } });
    const byId = new Map(videos.map((video) => [video.id, video]));
    return {
      edges: shown.flatMap(({ id, key }) => {
        const node = byId.get(id);
        return node && node.deletedAt === null ? [{ cursor: cursorOf(sort, key, id), node }] : [];
      }),
      hasNextPage: keys.length > first,
      totalCount: query.q || query.tag ? null : await this.count(accountId, query.status ?? null),
    };
  }

  private async count(accountId: string, status: VideoStatus | null): Promise<number> {
    const [counts] = await this.db.sql.query<Record<VideoStatus, string>>(COUNTS, [accountId]);
    if (!counts) return 0;
    return status ? Number(counts[status]) : Object.values(counts).reduce((sum, count) => sum + Number(count), 0);
  }
}

/** One statement per combination of filters, so that each is planned for the index that serves it. */
function keysStatement(
  accountId: string,
  query: VideoQuery,
  sort: VideoOrder,
): { statement: Statement; values: unknown[] } {
  const { key, type, direction } = ORDERS[sort];
  const values: unknown[] = [accountId, query.first + 1];
  const conditions = ['v.account_id = $1', 'v.deleted_at is null'];
  const used: string[] = [];
  const filter = (name: string, condition: string, value: unknown): void => {
    values.push(value);
    used.push(name);
    conditions.push(condition.replaceAll('?', `$${values.length}`));
  };

  if (query.status) filter('status', 'v.status = ?', query.status);
  if (query.q) filter('q', `v.title_words @@ to_tsquery('simple', ?)`, prefixQuery(checkedSearch(query.q)));
  if (query.tag) filter('tag', 'v.tags @> array[?::text]', checkedSearch(query.tag));
  if (query.after != null) {
    const cursor = parseCursor(query.after, sort);
    values.push(cursor.key, cursor.id);
    used.push('after');
    conditions.push(
      `(${key}, v.id) ${direction === 'desc' ? '<' : '>'} ($${values.length - 1}::${type}, $${values.length}::uuid)`,
    );
  }
  return {
    statement: {
      name: `videos-keys-${sort}-${used.join('-')}`,
      text: `
        select v.id, ${key}::text as key from video v
        where ${conditions.join(' and ')}
        order by ${key} ${direction}, v.id ${direction} limit $2`,
    },
    values,
  };
}

function checkedSearch(text: string): string {
  if (text.length > MAX_SEARCH_CHARACTERS || /[\0\p{Cs}]/u.test(text)) {
    throw new AppError('INVALID_INPUT', `A search has at most ${MAX_SEARCH_CHARACTERS} characters.`);
  }
  return text;
}

function cursorOf(sort: VideoOrder, key: string, id: string): string {
  return Buffer.from(JSON.stringify([sort, key, id])).toString('base64url');
}

function parseCursor(cursor: string, sort: VideoOrder): { key: string; id: string } {
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

/** A cursor somebody made up can hold a time that is none. */
function isBadCursor(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === '22007' || error.code === '22008');
}

function badCursor(): AppError {
  return new AppError('INVALID_INPUT', 'This cursor belongs to another list.');
}
