import type { Sql, Statement } from '../../../db/sql.js';
import { SharedReads } from '../../shared/sharedReads.js';
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
  /** Of the account's lists at that moment: whatever changes in them moves it. */
  readonly version: string;
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

/** Whose videos, by `$1`: one row with `account_id`, or one per key; `n` counts the keys of `$1` from 1. */
const OWNERS = {
  key: { columns: 'k.suspended,', of: 'api_key k', where: 'where k.hash = $1 and k.revoked_at is null' },
  keys: {
    columns: 'h.n::integer, k.suspended,',
    // Looked up one by one, whatever the statistics were when the statement was planned.
    of:
      'unnest($1::bytea[]) with ordinality h(hash, n) ' +
      'cross join lateral (select * from api_key where hash = h.hash offset 0) k',
    where: 'where k.revoked_at is null',
  },
  account: { columns: '', of: '(select $1::uuid as account_id) k', where: '' },
} as const;
type OwnerKind = keyof typeof OWNERS;

type KeyRow = Walked<KeyedRow & VideoRow>;

interface PageOfKey {
  readonly keyHash: Buffer;
  readonly query: VideoQuery;
}

/** Reads the lists of keys' accounts. */
export class VideoLists {
  private readonly versions: SharedReads<Buffer, string>;
  /** By the name of the statement: of walks that have no values of their own. */
  private readonly shared = new Map<string, SharedReads<PageOfKey, VideoPage>>();

  constructor(private readonly sql: Sql) {
    this.versions = new SharedReads((hashes) => this.askVersions(hashes), { most: 256 });
  }

  /**
   * One page of the videos of a key's account, and how many there are: one round trip, shared with other keys that ask
   * for the same page at the same moment.
   *
   * @param keyHash see `hashKey`
   * @throws INVALID_API_KEY, ACCOUNT_SUSPENDED
   */
  async page(keyHash: Buffer, query: VideoQuery): Promise<VideoPage> {
    if (valuesOf(query).length > 0) return pageOfKey(await this.walk(keyHash, query), query);
    const { name } = statementOf(OF_KEY, query);
    let shared = this.shared.get(name);
    if (!shared) {
      shared = new SharedReads((wanted) => this.pages(wanted));
      this.shared.set(name, shared);
    }
    return shared.read({ keyHash, query });
  }

  /**
   * The version of the lists of a key's account.
   *
   * @throws INVALID_API_KEY, ACCOUNT_SUSPENDED
   */
  version(keyHash: Buffer): Promise<string> {
    return this.versions.read(keyHash);
  }

  private walk(keyHash: Buffer, query: VideoQuery): Promise<KeyRow[]> {
    return walk(this.sql, { ...OF_KEY, value: keyHash }, query);
  }

  /** @param wanted by one statement: of their queries, only the number of videos may differ */
  private async pages(wanted: readonly PageOfKey[]): Promise<(VideoPage | Error)[]> {
    const [{ keyHash, query }] = wanted as [PageOfKey];
    if (wanted.length === 1) {
      const rows = await this.walk(keyHash, query);
      return [attempt(() => pageOfKey(rows, query))];
    }
    const hashes = wanted.map((one) => one.keyHash);
    const ofKey = new Map<number, KeyRow[]>();
    for (const row of await walk<KeyedRow & VideoRow & { n: number }>(this.sql, { ...OF_KEYS, value: hashes }, query)) {
      const rows = ofKey.get(row.n);
      if (rows) rows.push(row);
      else ofKey.set(row.n, [row]);
    }
    return wanted.map((one, nth) => attempt(() => pageOfKey(ofKey.get(nth + 1) ?? [], one.query)));
  }

  private async askVersions(hashes: readonly Buffer[]): Promise<(string | Error)[]> {
    const rows = await this.sql.query<KeyedRow & { n: number; version: string }>(VERSIONS, [hashes]);
    const ofKey = new Map(rows.map((row) => [row.n, row]));
    return hashes.map((_, nth) =>
      attempt(() => {
        const row = ofKey.get(nth + 1);
        assertKey(row);
        return row.version;
      }),
    );
  }
}

const OF_KEY = { kind: 'key', columns: VIDEO_COLUMNS } as const;
const OF_KEYS = { kind: 'keys', columns: VIDEO_COLUMNS } as const;

const VERSIONS: Statement = {
  name: 'video-list-versions',
  text: `
    select h.n::integer, k.suspended, c.version
    from unnest($1::bytea[]) with ordinality h(hash, n)
    cross join lateral (select * from api_key where hash = h.hash and revoked_at is null offset 0) k
    left join lateral (select * from video_count where account_id = k.account_id offset 0) c on true`,
};

/** A refusal is an answer like others: of one request, not of those that share its statement. */
function attempt<T>(answer: () => T): T | Error {
  try {
    return answer();
  } catch (error) {
    return error instanceof Error ? error : new Error('The list failed.', { cause: error });
  }
}

/** @throws INVALID_API_KEY, ACCOUNT_SUSPENDED */
function pageOfKey(rows: readonly KeyRow[], query: VideoQuery): VideoPage {
  assertKey(rows[0]);
  const { found, total, next } = pageOf(rows, query);
  return { videos: found, total, next, version: rows[0].version };
}

/** One page of an account's videos, and only which they are: each with the place where a walk behind it goes on. */
export async function listVideosOfAccount(
  sql: Sql,
  accountId: string,
  query: VideoQuery,
): Promise<Omit<VideoPage, 'videos' | 'version'> & { readonly videos: readonly VideoPosition[] }> {
  const columns = 'v.id, v.created_at';
  const rows = await walk<WalkedRow>(sql, { kind: 'account', value: accountId, columns }, query);
  const { found, total, next } = pageOf(rows, query);
  return { videos: found.map(positionOf), total, next };
}

interface Owner {
  readonly kind: OwnerKind;
  /** Of the videos. */
  readonly columns: string;
}

type Walked<Row> = Row & WalkedRow & { total: string | null; version: string };

function walk<Row extends object>(
  sql: Sql,
  { value, ...owner }: Owner & { readonly value: unknown },
  query: VideoQuery,
): Promise<Walked<Row>[]> {
  return sql.query<Walked<Row>>(statementOf(owner, query), [value, ...valuesOf(query)]);
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
    select ${owner.columns} ${total} as total, c.version, p.*
    from ${owner.of}
    left join lateral (select * from video_count where account_id = k.account_id offset 0) c on true
    left join lateral (
      select ${columns}${query.sort === 'title' ? `, ${sort.key} as title_key` : ''}
      from video v where ${conditions.join(' and ')}
      order by ${sort.order} limit ${rowsRead(query.limit)} ${query.offset ? `offset ${next()}` : ''}
    ) p on true
    ${owner.where}`;
}

/** Beside whose videos they are. */
function valuesOf(query: VideoQuery): unknown[] {
  const values: unknown[] = [];
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
