import type { Sql, Statement } from '../../../db/sql.js';
import { SharedReads } from '../../shared/sharedReads.js';
import type { VideoStatus } from './video.entity.js';
import { assertKey, type KeyedRow, VIDEO_COLUMNS, type VideoRow } from './videoRow.js';

/** The orders of /v1. */
export type VideoSort = '-createdAt' | 'createdAt' | 'title';
/** The orders of the dashboard; each is a walk of one index, in one direction or the other. */
export type OwnerVideoSort = VideoSort | '-title' | 'length' | '-length';

/** Where a list continues: after this video. */
export interface VideoPosition {
  /** The video's sort key as the database formats it. */
  readonly key: string;
  /** UUID. */
  readonly id: string;
}

export interface VideoQuery {
  readonly sort: OwnerVideoSort;
  /** Videos per page, at most 100. */
  readonly limit: number;
  readonly status?: VideoStatus | undefined;
  /** Prefixes of words in the title, all of which must match. */
  readonly words?: string | undefined;
  readonly tag?: string | undefined;
  /** Inclusive. */
  readonly createdFrom?: Date | undefined;
  /** Exclusive. */
  readonly createdTo?: Date | undefined;
  /** Videos whose metadata has this key; with a value, only with exactly that one. */
  readonly metadata?: MetadataFilter | undefined;
  /** Continues after this video; otherwise `offset` counts from the start. */
  readonly after?: VideoPosition | undefined;
  readonly offset?: number | undefined;
}

export interface MetadataFilter {
  readonly key: string;
  readonly value: string | null;
}

export interface VideoPage {
  readonly videos: readonly VideoRow[];
  /** Exact; `null` for a search or a filter that is not counted. */
  readonly total: number | null;
  /** `null` at the end. */
  readonly next: VideoPosition | null;
  /** Of the account's lists at that moment. Any change in them changes it. */
  readonly version: string;
}

const LENGTH = 'coalesce(v.duration_ms, 0)';

const SORTS = {
  '-createdAt': { key: 'v.created_at', type: 'timestamptz', order: 'v.created_at desc, v.id desc', beyond: '<' },
  createdAt: { key: 'v.created_at', type: 'timestamptz', order: 'v.created_at, v.id', beyond: '>' },
  title: { key: 'lower(v.title) collate "C"', type: 'text', order: 'lower(v.title) collate "C", v.id', beyond: '>' },
  '-title': {
    key: 'lower(v.title) collate "C"',
    type: 'text',
    order: 'lower(v.title) collate "C" desc, v.id desc',
    beyond: '<',
  },
  // Not measured yet: no length.
  length: { key: LENGTH, type: 'bigint', order: `${LENGTH}, v.id`, beyond: '>' },
  '-length': { key: LENGTH, type: 'bigint', order: `${LENGTH} desc, v.id desc`, beyond: '<' },
} as const;

/**
 * The numbers of rows that statements read: the smallest that exceeds the page. They are literals, because with a
 * parameter PostgreSQL plans for a tenth of the table, and sorts an account instead of walking its index. They are few,
 * because each makes a statement that every connection keeps.
 */
const ROWS_READ = [11, 21, 26, 51, 101] as const;

const TOTAL = 'c.awaiting_upload + c.uploading + c.uploaded + c.queued + c.processing + c.ready + c.failed';

/** What every walk selects; `sort_key` unless sorted by time. */
interface WalkedRow {
  id: string;
  created_at: string;
  sort_key?: string;
}

/** Whose videos `$1` selects: one row with `account_id`, or one per key; `n` numbers the keys of `$1` from 1. */
const OWNERS = {
  key: { columns: 'k.suspended,', of: 'api_key k', where: 'where k.hash = $1 and k.revoked_at is null' },
  keys: {
    columns: 'h.n::integer, k.suspended,',
    // Looked up one by one, so that the plan does not depend on statistics.
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

/** Lists videos by API key. */
export class VideoLists {
  private readonly versions: SharedReads<Buffer, string>;
  /** By statement name, for walks without values of their own. */
  private readonly shared = new Map<string, SharedReads<PageOfKey, VideoPage>>();

  constructor(private readonly sql: Sql) {
    this.versions = new SharedReads((hashes) => this.askVersions(hashes), { most: 256 });
  }

  /**
   * One page of the videos of a key's account, and their total: one round trip, shared with concurrent requests of
   * other keys for the same page.
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

  /** @param wanted by one statement; their queries may differ only in the number of videos */
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

/** Turns an exception into a result, so that a refusal affects one request and not those that share its statement. */
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

/** One page of an account's videos, as positions only. A list can continue after each of them. */
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
  // An empty page has one row: the owner's, without a video.
  const some = first?.id == null ? [] : rows;
  const found = some.length > query.limit ? some.slice(0, query.limit) : some;
  const last = found.at(-1);
  return {
    found,
    total: isCounted(query) ? Number(first?.total ?? 0) : null,
    next: some.length > query.limit && last ? positionOf(last) : null,
  };
}

function positionOf({ id, created_at, sort_key }: WalkedRow): VideoPosition {
  return { key: sort_key ?? created_at, id };
}

/** Whether the account's counters give the total; a search would have to count its results each time. */
function isCounted({ words, tag, createdFrom, createdTo, metadata }: VideoQuery): boolean {
  return [words, tag, createdFrom, createdTo, metadata].every((filter) => filter === undefined);
}

const statements = new Map<string, Statement>();

/** One statement per combination of filters, so that each is planned as a single index walk. */
function statementOf(owner: Owner, query: VideoQuery): Statement {
  const name = [
    `video-list-of-${owner.kind}`,
    query.sort,
    query.status ?? '',
    query.words === undefined ? '' : 'q',
    query.tag === undefined ? '' : 't',
    `${query.createdFrom ? 'from' : ''}${query.createdTo ? 'to' : ''}`,
    query.metadata === undefined ? '' : query.metadata.value === null ? 'key' : 'pair',
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

/** At least one more than requested, which tells whether there are more. */
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
  // A status is one of seven words of ours. As a literal, it selects its index and its counter.
  if (query.status) conditions.push(`v.status = '${query.status}'`);
  if (query.words !== undefined) conditions.push(`v.title_words @@ to_tsquery('simple', ${next()})`);
  if (query.tag !== undefined) conditions.push(`v.tags @> array[${next()}]`);
  if (query.createdFrom) conditions.push(`v.created_at >= ${next()}::timestamptz`);
  if (query.createdTo) conditions.push(`v.created_at < ${next()}::timestamptz`);
  if (query.metadata) {
    conditions.push(
      query.metadata.value === null
        ? `v.metadata ? ${next()}::text`
        : `v.metadata @> jsonb_build_object(${next()}::text, ${next()}::text)`,
    );
  }
  if (query.after) conditions.push(`(${sort.key}, v.id) ${sort.beyond} (${next()}::${sort.type}, ${next()}::uuid)`);
  const total = isCounted(query) ? (query.status ? `c.${query.status}` : TOTAL) : 'null::bigint';
  return `
    select ${owner.columns} ${total} as total, c.version, p.*
    from ${owner.of}
    left join lateral (select * from video_count where account_id = k.account_id offset 0) c on true
    left join lateral (
      select ${columns}${sort.type === 'timestamptz' ? '' : `, ${sort.key} as sort_key`}
      from video v where ${conditions.join(' and ')}
      order by ${sort.order} limit ${rowsRead(query.limit)} ${query.offset ? `offset ${next()}` : ''}
    ) p on true
    ${owner.where}`;
}

/** All values except `$1`. */
function valuesOf(query: VideoQuery): unknown[] {
  const values: unknown[] = [];
  if (query.words !== undefined) values.push(prefixQuery(query.words));
  if (query.tag !== undefined) values.push(query.tag);
  if (query.createdFrom) values.push(query.createdFrom.toISOString());
  if (query.createdTo) values.push(query.createdTo.toISOString());
  if (query.metadata) values.push(query.metadata.key);
  if (query.metadata && query.metadata.value !== null) values.push(query.metadata.value);
  if (query.after) values.push(query.after.key, query.after.id);
  if (query.offset) values.push(query.offset);
  return values;
}

/** Every word of the text as a prefix of a word in the title, in PostgreSQL's query language. */
function prefixQuery(text: string): string {
  return text
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => `'${word.replaceAll(/['\\]/g, String.raw`\$&`).replaceAll(String.raw`\'`, "''")}':*`)
    .join(' & ');
}
