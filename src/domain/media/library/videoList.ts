import type { Sql, Statement } from '../../../db/sql.js';
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

/** What every walk selects; `title_key` where the title is the order. */
interface WalkedRow {
  id: string;
  created_at: string;
  title_key?: string;
}

/** Whose videos. `of` gives one row with `account_id`, and whether the account is suspended where a key asks. */
const OWNERS = {
  key: { columns: 'k.suspended,', of: 'api_key k', where: 'where k.hash = $1 and k.revoked_at is null' },
  account: { columns: '', of: '(select $1::uuid as account_id) k', where: '' },
} as const;
type OwnerKind = keyof typeof OWNERS;

/**
 * One page of the videos of a key's account, and how many there are: one round trip.
 *
 * @param keyHash see `hashKey`
 * @throws INVALID_API_KEY, ACCOUNT_SUSPENDED
 */
export async function listVideosOfKey(sql: Sql, keyHash: Buffer, query: VideoQuery): Promise<VideoPage> {
  const rows = await walk<KeyedRow & VideoRow>(sql, { kind: 'key', value: keyHash, columns: VIDEO_COLUMNS }, query);
  assertKey(rows[0]);
  const { found, total, next } = pageOf(rows, query);
  return { videos: found, total, next };
}

/** The same of an account, and only which videos they are: each with the place where a walk behind it goes on. */
export async function listVideosOfAccount(
  sql: Sql,
  accountId: string,
  query: VideoQuery,
): Promise<Omit<VideoPage, 'videos'> & { readonly videos: readonly VideoPosition[] }> {
  const columns = 'v.id, v.created_at';
  const rows = await walk<WalkedRow>(sql, { kind: 'account', value: accountId, columns }, query);
  const { found, total, next } = pageOf(rows, query);
  return { videos: found.map(positionOf), total, next };
}

interface Owner {
  readonly kind: OwnerKind;
  readonly value: unknown;
  /** Of the videos. */
  readonly columns: string;
}

type Walked<Row> = Row & WalkedRow & { total: string | null };

function walk<Row extends object>(sql: Sql, owner: Owner, query: VideoQuery): Promise<Walked<Row>[]> {
  return sql.query<Walked<Row>>(statementOf(owner, query), valuesOf(owner.value, query));
}

function pageOf<Row extends object>(
  rows: readonly Walked<Row>[],
  query: VideoQuery,
): { found: readonly Walked<Row>[]; total: number | null; next: VideoPosition | null } {
  const [first] = rows;
  // The owner's row comes without a video where the page is empty.
  const some = first?.id == null ? [] : rows;
  const found = some.length > query.limit ? some.slice(0, query.limit) : some;
  const last = found.at(-1);
  return {
    found,
    total: isCounted(query) ? Number(first?.total ?? 0) : null,
    next: some.length > query.limit && last ? positionOf(last) : null,
  };
}

function positionOf({ id, created_at, title_key }: WalkedRow): VideoPosition {
  return { key: title_key ?? created_at, id };
}

/** By counters that each account has; a search would have to count its results each time. */
function isCounted({ words, tag }: VideoQuery): boolean {
  return words === undefined && tag === undefined;
}

const statements = new Map<string, Statement>();

/** A statement per combination of filters, so that each is planned as the one index walk it is. */
function statementOf(owner: Owner, query: VideoQuery): Statement {
  const name = [
    `video-list-of-${owner.kind}`,
    query.sort,
    query.status ?? '',
    query.words === undefined ? '' : 'q',
    query.tag === undefined ? '' : 't',
    query.after ? 'after' : query.offset ? 'page' : '',
    rowsRead(query.limit),
  ].join(':');
  let statement = statements.get(name);
  if (!statement) {
    statement = { name, text: textOf(owner, query) };
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

function textOf({ kind, columns }: Owner, query: VideoQuery): string {
  const owner = OWNERS[kind];
  const sort = SORTS[query.sort];
  const conditions = ['v.account_id = k.account_id', 'v.deleted_at is null'];
  let used = 1;
  const next = (): string => `$${(used += 1)}`;
  // A status is one of seven words of ours: with it in the text, its index is walked and its counter read.
  if (query.status) conditions.push(`v.status = '${query.status}'`);
  if (query.words !== undefined) conditions.push(`v.title_words @@ to_tsquery('simple', ${next()})`);
  if (query.tag !== undefined) conditions.push(`v.tags @> array[${next()}]`);
  if (query.after) conditions.push(`(${sort.key}, v.id) ${sort.beyond} (${next()}::${sort.type}, ${next()}::uuid)`);
  const total = isCounted(query) ? (query.status ? `c.${query.status}` : TOTAL) : 'null::bigint';
  return `
    select ${owner.columns} ${total} as total, p.*
    from ${owner.of}
    left join video_count c on c.account_id = k.account_id
    left join lateral (
      select ${columns}${query.sort === 'title' ? `, ${sort.key} as title_key` : ''}
      from video v where ${conditions.join(' and ')}
      order by ${sort.order} limit ${rowsRead(query.limit)} ${query.offset ? `offset ${next()}` : ''}
    ) p on true
    ${owner.where}`;
}

function valuesOf(owner: unknown, query: VideoQuery): unknown[] {
  const values: unknown[] = [owner];
  if (query.words !== undefined) values.push(prefixQuery(query.words));
  if (query.tag !== undefined) values.push(query.tag);
  if (query.after) values.push(query.after.key, query.after.id);
  if (query.offset) values.push(query.offset);
  return values;
}

/** Every word of the text as the beginning of a word in the title, in PostgreSQL's query language. */
function prefixQuery(text: string): string {
  return text
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => `'${word.replaceAll(/['\\]/g, String.raw`\$&`).replaceAll(String.raw`\'`, "''")}':*`)
    .join(' & ');
}
