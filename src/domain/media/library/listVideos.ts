import type { Sql, Statement } from '../../../db/sql.js';
import { prefixQuery } from './prefixQuery.js';
import type { VideoStatus } from './video.entity.js';
import { assertKey, type KeyedRow, VIDEO_COLUMNS, type VideoRow } from './videoRow.js';

export type VideoSort = '-createdAt' | 'createdAt' | 'title';

/** Where a walk goes on: behind this video. */
export interface VideoPosition {
  /** The video's sort key as the database writes it. */
  readonly key: string;
  /** UUID. */
  readonly id: string;
}

export interface VideoQuery {
  readonly sort: VideoSort;
  /** Videos per page, at most 100. */
  readonly limit: number;
  readonly status?: VideoStatus | undefined;
  /** Beginnings of words that the title has, all of them. */
  readonly words?: string | undefined;
  readonly tag?: string | undefined;
  /** A walk by cursor; otherwise `offset` counts from the start. */
  readonly after?: VideoPosition | undefined;
  readonly offset?: number | undefined;
}

export interface VideoPage {
  readonly videos: readonly VideoRow[];
  /** Exact; `null` where a search by word or tag is not counted. */
  readonly total: number | null;
  /** `null` at the end. */
  readonly next: VideoPosition | null;
}

const SORTS = {
  '-createdAt': { key: 'v.created_at', type: 'timestamptz', order: 'v.created_at desc, v.id desc', beyond: '<' },
  createdAt: { key: 'v.created_at', type: 'timestamptz', order: 'v.created_at, v.id', beyond: '>' },
  title: { key: 'lower(v.title) collate "C"', type: 'text', order: 'lower(v.title) collate "C", v.id', beyond: '>' },
} as const;

/**
 * Rows a statement reads: the least of these that is more than the page. They stand in the text, since with a
 * parameter PostgreSQL plans for a tenth of the table and would rather sort an account than walk its index; and they
 * are few, since each makes a statement that every connection keeps.
 */
const ROWS_READ = [11, 21, 26, 51, 101] as const;

const TOTAL = 'c.awaiting_upload + c.uploading + c.uploaded + c.queued + c.processing + c.ready + c.failed';

/** `title_key` where the title is the order. */
type Row = KeyedRow & VideoRow & { total: string | null; title_key?: string };

/**
 * One page of the videos of a key's account, and how many there are: one round trip.
 *
 * @param keyHash see `hashKey`
 * @throws INVALID_API_KEY, ACCOUNT_SUSPENDED
 */
export async function listVideos(sql: Sql, keyHash: Buffer, query: VideoQuery): Promise<VideoPage> {
  const rows = await sql.query<Row>(statementOf(query), valuesOf(keyHash, query));
  const [first] = rows;
  assertKey(first);
  // The key's row comes without a video where the page is empty.
  const found = first.id === null ? [] : rows;
  const videos = found.length > query.limit ? found.slice(0, query.limit) : found;
  const last = videos.at(-1);
  return {
    videos,
    total: first.total === null ? null : Number(first.total),
    next: found.length > query.limit && last ? { key: last.title_key ?? last.created_at, id: last.id } : null,
  };
}

const statements = new Map<string, Statement>();

/** A statement per combination of filters, so that each is planned as the one index walk it is. */
function statementOf(query: VideoQuery): Statement {
  const name = [
    'video-list',
    query.sort,
    query.status ?? '',
    query.words === undefined ? '' : 'q',
    query.tag === undefined ? '' : 't',
    query.after ? 'after' : query.offset ? 'page' : '',
    rowsRead(query.limit),
  ].join(':');
  let statement = statements.get(name);
  if (!statement) {
    statement = { name, text: textOf(query) };
    statements.set(name, statement);
  }
  return statement;
}

/** One more than asked for, at least, tells whether there are more. */
function rowsRead(limit: number): number {
  const rows = ROWS_READ.find((candidate) => candidate > limit);
  if (rows === undefined) throw new RangeError('A page has at most 100 videos.');
  return rows;
}

function textOf(query: VideoQuery): string {
  const sort = SORTS[query.sort];
  const conditions = ['v.account_id = k.account_id', 'v.deleted_at is null'];
  let used = 1;
  const next = (): string => `$${(used += 1)}`;
  // A status is one of seven words of ours: with it in the text, its index is walked and its counter read.
  if (query.status) conditions.push(`v.status = '${query.status}'`);
  if (query.words !== undefined) conditions.push(`v.title_words @@ to_tsquery('simple', ${next()})`);
  if (query.tag !== undefined) conditions.push(`v.tags @> array[${next()}]`);
  if (query.after) conditions.push(`(${sort.key}, v.id) ${sort.beyond} (${next()}::${sort.type}, ${next()}::uuid)`);
  const isCounted = query.words === undefined && query.tag === undefined;
  return `
    select k.suspended, ${isCounted ? (query.status ? `c.${query.status}` : TOTAL) : 'null::bigint'} as total, p.*
    from api_key k
    left join video_count c on c.account_id = k.account_id
    left join lateral (
      select ${VIDEO_COLUMNS}${query.sort === 'title' ? `, ${sort.key} as title_key` : ''}
      from video v where ${conditions.join(' and ')}
      order by ${sort.order} limit ${rowsRead(query.limit)} ${query.offset ? `offset ${next()}` : ''}
    ) p on true
    where k.hash = $1 and k.revoked_at is null`;
}

function valuesOf(keyHash: Buffer, query: VideoQuery): unknown[] {
  const values: unknown[] = [keyHash];
  if (query.words !== undefined) values.push(prefixQuery(query.words));
  if (query.tag !== undefined) values.push(query.tag);
  if (query.after) values.push(query.after.key, query.after.id);
  if (query.offset) values.push(query.offset);
  return values;
}
