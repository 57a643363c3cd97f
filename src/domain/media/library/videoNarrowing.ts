import { execute, type Sql, statement, type TypedStatement } from '../../../db/sql.js';
import type { VideoStatus } from './video.entity.js';

/** Which videos a list has. */
export interface Narrowing {
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
}

export interface MetadataFilter {
  readonly key: string;
  readonly value: string | null;
}

/** The values that a narrowing's conditions name. */
export interface NarrowingParams {
  readonly words: string | null;
  readonly tag: string | null;
  readonly createdFrom: string | null;
  readonly createdTo: string | null;
  readonly metadataKey: string | null;
  readonly metadataValue: string | null;
}

/** What a video `v` has to be. */
export function conditionsOf(accountId: string, query: Narrowing): string[] {
  const conditions = [`v.account_id = ${accountId}`, 'v.deleted_at is null'];
  // A status is one of seven words of ours. As a literal, it selects its index and its counter.
  if (query.status) conditions.push(`v.status = '${query.status}'`);
  if (query.words !== undefined) conditions.push(`v.title_words @@ to_tsquery('simple', :words)`);
  if (query.tag !== undefined) conditions.push('v.tags @> array[:tag]');
  if (query.createdFrom) conditions.push('v.created_at >= :createdFrom::timestamptz');
  if (query.createdTo) conditions.push('v.created_at < :createdTo::timestamptz');
  if (query.metadata) {
    conditions.push(
      query.metadata.value === null
        ? 'v.metadata ? :metadataKey::text'
        : 'v.metadata @> jsonb_build_object(:metadataKey::text, :metadataValue::text)',
    );
  }
  return conditions;
}

/** Which filters a narrowing has, briefly. */
export function filterNames(query: Narrowing): string[] {
  return [
    query.status ?? '',
    query.words === undefined ? '' : 'q',
    query.tag === undefined ? '' : 't',
    `${query.createdFrom ? 'f' : ''}${query.createdTo ? 't' : ''}`,
    query.metadata === undefined ? '' : query.metadata.value === null ? 'k' : 'p',
  ];
}

/** Whether the account's counters give the total; a search would have to count its results each time. */
export function isCounted({ words, tag, createdFrom, createdTo, metadata }: Narrowing): boolean {
  return [words, tag, createdFrom, createdTo, metadata].every((filter) => filter === undefined);
}

export function narrowingParams({ words, tag, createdFrom, createdTo, metadata }: Narrowing): NarrowingParams {
  return {
    words: words === undefined ? null : prefixQuery(words),
    tag: tag ?? null,
    createdFrom: createdFrom?.toISOString() ?? null,
    createdTo: createdTo?.toISOString() ?? null,
    metadataKey: metadata?.key ?? null,
    metadataValue: metadata?.value ?? null,
  };
}

const COUNTS = new Map<string, TypedStatement<{ accountId: string; most: number } & NarrowingParams, { n: number }>>();

/**
 * How many videos an account's list has, counted up to `most`. Reads no more rows than a list of `most` videos; for
 * words, it also reads the index entries of every match.
 */
export async function countVideosOfAccount(
  sql: Sql,
  accountId: string,
  query: Narrowing,
  most: number,
): Promise<number> {
  const name = `video-count:${filterNames(query).join(':')}`;
  let count = COUNTS.get(name);
  if (!count) {
    const conditions = conditionsOf(':accountId::uuid', query).join(' and ');
    // Words, tags and metadata have their own indexes. Only an order leads a period to the index by time.
    const isByTime = [query.words, query.tag, query.metadata].every((filter) => filter === undefined);
    const order = isByTime ? 'order by v.created_at desc' : '';
    count = statement(
      name,
      `
    select count(*)::int as n from (
      select from video v where ${conditions} ${order} limit :most::integer
    ) counted`,
    );
    COUNTS.set(name, count);
  }
  const [counted] = await execute(sql, count, { accountId, most, ...narrowingParams(query) });
  return counted!.n;
}

/** Every word of the text as a prefix of a word in the title, in PostgreSQL's query language. */
function prefixQuery(text: string): string {
  return text
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => `'${word.replaceAll(/['\\]/g, String.raw`\$&`).replaceAll(String.raw`\'`, "''")}':*`)
    .join(' & ');
}
