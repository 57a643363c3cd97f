import { execute, type Sql, statement, type TypedStatement } from '../../../db/sql.js';
import { SharedReads } from '../../shared/sharedReads.js';
import {
  conditionsOf,
  filterNames,
  isCounted,
  type Narrowing,
  type NarrowingParams,
  narrowingParams,
} from './videoNarrowing.js';
import { assertKey, type KeyedRow, VIDEO_COLUMNS, type VideoRow } from './videoRow.js';
import { type OwnerVideoSort, SORTS } from './videoSorts.js';

/** Where a list continues: after this video. */
export interface VideoPosition {
  /** The video's sort key as the database formats it. */
  readonly key: string;
  /** UUID. */
  readonly id: string;
}

export interface VideoQuery extends Narrowing {
  readonly sort: OwnerVideoSort;
  /** Videos per page, at most 100. */
  readonly limit: number;
  /** Continues after this video; otherwise `offset` counts from the start. */
  readonly after?: VideoPosition | undefined;
  readonly offset?: number | undefined;
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

type Walked<Row> = Row & WalkedRow & { total: string | null; version: string };

/** What a query filters and continues by. Each statement uses some of it. */
interface Filters extends NarrowingParams {
  readonly afterKey: string | null;
  readonly afterId: string | null;
  readonly offset: number | null;
}

interface WalkOptions<Owner extends object, Row extends object> {
  /** Gives `k`: one row with `account_id`, or one per key. */
  readonly owners: string;
  readonly where?: string;
  /** Of `k`; ends with a comma. */
  readonly ownerColumns?: string;
  /** Of the video `v`. */
  readonly columns: string;
  readonly statement: (name: string, text: string) => TypedStatement<Owner & Filters, Walked<Row>>;
}

/**
 * The statements that list an owner's videos, one per combination of filters, so that each is planned as a single index
 * walk. Each is made when it is first needed.
 */
class VideoWalk<Owner extends object, Row extends object> {
  private readonly statements = new Map<string, TypedStatement<Owner & Filters, Walked<Row>>>();

  constructor(private readonly options: WalkOptions<Owner, Row>) {}

  read(sql: Sql, owner: Owner, query: VideoQuery): Promise<Walked<Row>[]> {
    return execute(sql, this.statementOf(query), { ...owner, ...filtersOf(query) });
  }

  statementOf(query: VideoQuery): TypedStatement<Owner & Filters, Walked<Row>> {
    const name = nameOf(query);
    let wanted = this.statements.get(name);
    if (!wanted) {
      wanted = this.options.statement(name, textOf(this.options, query));
      this.statements.set(name, wanted);
    }
    return wanted;
  }
}

const OF_KEY = new VideoWalk<{ keyHash: Buffer }, KeyedRow & VideoRow>({
  owners: 'api_key k',
  where: 'where k.hash = :keyHash and k.revoked_at is null',
  ownerColumns: 'k.suspended,',
  columns: VIDEO_COLUMNS,
  statement: (name, text) => statement(`video-list-of-key:${name}`, text),
});

/** `n` numbers the keys from 1. */
const OF_KEYS = new VideoWalk<{ keyHashes: readonly Buffer[] }, KeyedRow & VideoRow & { n: number }>({
  // Looked up one by one, so that the plan does not depend on statistics.
  owners:
    'unnest(:keyHashes::bytea[]) with ordinality h(hash, n) ' +
    'cross join lateral (select * from api_key where hash = h.hash offset 0) k',
  where: 'where k.revoked_at is null',
  ownerColumns: 'h.n::integer, k.suspended,',
  columns: VIDEO_COLUMNS,
  statement: (name, text) => statement(`video-list-of-keys:${name}`, text),
});

const OF_ACCOUNT = new VideoWalk<{ accountId: string }, WalkedRow>({
  owners: '(select :accountId::uuid as account_id) k',
  columns: 'v.id, v.created_at',
  statement: (name, text) => statement(`video-list-of-account:${name}`, text),
});

type KeyRow = Walked<KeyedRow & VideoRow>;

interface PageOfKey {
  readonly keyHash: Buffer;
  readonly query: VideoQuery;
}

/** Lists videos by API key. */
export class VideoLists {
  private readonly versions: SharedReads<Buffer, string>;
  /** By statement name, for walks without filter values. */
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
    const { name, parameters } = OF_KEY.statementOf(query);
    if (parameters.length > 1) return pageOfKey(await OF_KEY.read(this.sql, { keyHash }, query), query);
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

  /** @param wanted by one statement; their queries may differ only in the number of videos */
  private async pages(wanted: readonly PageOfKey[]): Promise<(VideoPage | Error)[]> {
    const [{ keyHash, query }] = wanted as [PageOfKey];
    if (wanted.length === 1) {
      const rows = await OF_KEY.read(this.sql, { keyHash }, query);
      return [attempt(() => pageOfKey(rows, query))];
    }
    const keyHashes = wanted.map((one) => one.keyHash);
    const ofKey = new Map<number, KeyRow[]>();
    for (const row of await OF_KEYS.read(this.sql, { keyHashes }, query)) {
      const rows = ofKey.get(row.n);
      if (rows) rows.push(row);
      else ofKey.set(row.n, [row]);
    }
    return wanted.map((one, nth) => attempt(() => pageOfKey(ofKey.get(nth + 1) ?? [], one.query)));
  }

  private async askVersions(keyHashes: readonly Buffer[]): Promise<(string | Error)[]> {
    const rows = await execute(this.sql, VERSIONS, { keyHashes });
    const ofKey = new Map(rows.map((row) => [row.n, row]));
    return keyHashes.map((_, nth) =>
      attempt(() => {
        const row = ofKey.get(nth + 1);
        assertKey(row);
        return row.version;
      }),
    );
  }
}

const VERSIONS = statement<{ keyHashes: readonly Buffer[] }, KeyedRow & { n: number; version: string }>(
  'video-list-versions',
  `
    select h.n::integer, k.suspended, c.version
    from unnest(:keyHashes::bytea[]) with ordinality h(hash, n)
    cross join lateral (select * from api_key where hash = h.hash and revoked_at is null offset 0) k
    left join lateral (select * from video_count where account_id = k.account_id offset 0) c on true`,
);

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
  const rows = await OF_ACCOUNT.read(sql, { accountId }, query);
  const { found, total, next } = pageOf(rows, query);
  return { videos: found.map(positionOf), total, next };
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

/** With the longest status and every filter, a name has just 63 bytes. */
function nameOf(query: VideoQuery): string {
  return [query.sort, ...filterNames(query), query.after ? 'a' : query.offset ? 'o' : '', rowsRead(query.limit)].join(
    ':',
  );
}

/** At least one more than requested, which tells whether there are more. */
function rowsRead(limit: number): number {
  const rows = ROWS_READ.find((candidate) => candidate > limit);
  if (rows === undefined) throw new RangeError('A page has at most 100 videos.');
  return rows;
}

type WalkText = Omit<WalkOptions<object, object>, 'statement'>;

function textOf({ owners, where = '', ownerColumns = '', columns }: WalkText, query: VideoQuery): string {
  const sort = SORTS[query.sort];
  const conditions = conditionsOf('k.account_id', query);
  if (query.after) conditions.push(`(${sort.key}, v.id) ${sort.beyond} (:afterKey::${sort.type}, :afterId::uuid)`);
  const total = isCounted(query) ? (query.status ? `c.${query.status}` : TOTAL) : 'null::bigint';
  return `
    select ${ownerColumns} ${total} as total, c.version, p.*
    from ${owners}
    left join lateral (select * from video_count where account_id = k.account_id offset 0) c on true
    left join lateral (
      select ${columns}${sort.type === 'timestamptz' ? '' : `, ${sort.key} as sort_key`}
      from video v ${sort.join?.('k.account_id') ?? ''} where ${conditions.join(' and ')}
      order by ${sort.order} limit ${rowsRead(query.limit)} ${query.offset ? 'offset :offset' : ''}
    ) p on true
    ${where}`;
}

function filtersOf(query: VideoQuery): Filters {
  const { after, offset } = query;
  return {
    ...narrowingParams(query),
    afterKey: after?.key ?? null,
    afterId: after?.id ?? null,
    offset: offset ?? null,
  };
}
