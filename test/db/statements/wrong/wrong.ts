import { type NoParams, statement } from '../../../../src/db/sql.js';

/** Statements whose types are wrong, by what the comparison says. */
export const WRONG = {
  'parameter id: declared number, is uuid': statement<{ id: number }, { title: string }>(
    'wrong-parameter',
    'select title from video where id = :id',
  ),
  'parameter id: not declared': statement<NoParams, { title: string }>(
    'wrong-parameter-missing',
    'select title from video where id = :id',
  ),
  'parameter id: declared, but not used': statement<{ id: string }, { title: string }>(
    'wrong-parameter-unused',
    'select title from video',
  ),
  'parameter day: declared Date, is date': statement<{ day: Date }, { title: string }>(
    'wrong-parameter-date',
    'select title from video where created_at::date = :day',
  ),
  'parameter tags: declared readonly string[], is jsonb': statement<{ tags: readonly string[] }>(
    'wrong-parameter-json',
    'update video set metadata = :tags',
  ),
  'parameter ids: declared readonly number[], is _uuid': statement<{ ids: readonly number[] }, { title: string }>(
    'wrong-parameter-array',
    'select title from video where id = any (:ids)',
  ),
  'column size_bytes: declared number | null, is int8': statement<NoParams, { size_bytes: number | null }>(
    'wrong-type',
    'select size_bytes from video',
  ),
  'column created_at: declared Date, is timestamptz': statement<NoParams, { created_at: Date }>(
    'wrong-type-of-time',
    'select created_at from video',
  ),
  'column tags: declared string, is _text': statement<NoParams, { tags: string }>(
    'wrong-type-of-array',
    'select tags from video',
  ),
  'column width: declared number, but video.width can be null': statement<NoParams, { width: number }>(
    'wrong-null',
    'select v.width from video v',
  ),
  'column title: declared string | null, but video.title is never null': statement<NoParams, { title: string | null }>(
    'wrong-not-null',
    'select title from video',
  ),
  'column titel: declared string, is not returned': statement<NoParams, { titel: string; title: string }>(
    'wrong-name',
    'select title from video',
  ),
  'column id: uuid, not declared': statement<NoParams, { title: string }>(
    'wrong-column-undeclared',
    'select id, title from video',
  ),
  'column status: declared "granted" | "pending", but referral.status can be cancelled, clawed_back': statement<
    NoParams,
    { status: 'granted' | 'pending' }
  >('wrong-words', 'select status from referral'),
  'column title: declared string, but there may be no video': statement<NoParams, { id: string; title: string }>(
    'wrong-outer-join',
    `select a.id, v.title from account a
      left join lateral (select * from video where account_id = a.id limit 1) v on true`,
  ),
  'row: declared title, returns no rows': statement<NoParams, { title: string }>(
    'wrong-rows',
    'update video set title = title',
  ),
} as const;

/** Right as far as anybody can tell: a join may leave its columns out, and an expression may be null or not. */
export const RIGHT = [
  statement<{ id: string | null }, { title: string | null; width: number; n: string }>(
    'right-join',
    `select v.title, v.width + 1 as width, count(*) over () as n
      from account a left join video v on v.account_id = a.id where a.id = :id`,
  ),
  statement<{ ids: readonly string[]; at: Date; data: string }, { id: string; metadata: Record<string, string> }>(
    'right-row',
    'update video set updated_at = :at, metadata = :data where id = any (:ids) returning id, metadata',
  ),
] as const;
