import { VideoSort } from '../../../src/api/graphql/types/enums.js';
import type { Sql } from '../../../src/db/sql.js';
import { listVideosOfAccount, type VideoQuery, VideoLists } from '../../../src/domain/media/library/videoList.js';
import { countVideosOfAccount } from '../../../src/domain/media/library/videoNarrowing.js';
import { allChecks } from '../../../src/domain/operations/doctor/checks/index.js';

const A_DAY = new Date('2026-01-01T00:00:00Z');
const FILTERS = {
  status: 'awaiting_upload',
  words: 'a word',
  tag: 'a tag',
  createdFrom: A_DAY,
  createdTo: A_DAY,
} as const satisfies Partial<VideoQuery>;

/** Each way to list videos: all filters, one of each, and none; in every order; the first, a later and the next page. */
const QUERIES: readonly VideoQuery[] = Object.values(VideoSort)
  .flatMap(
    (sort) =>
      [
        { sort, limit: 100, ...FILTERS },
        { sort, limit: 20 },
      ] as VideoQuery[],
  )
  .flatMap((query) => [
    query,
    { ...query, offset: 20 },
    { ...query, after: { key: 'a key', id: 'an id' } },
    { ...query, metadata: { key: 'a key', value: null } },
    { ...query, metadata: { key: 'a key', value: 'a value' }, after: { key: 'a key', id: 'an id' } },
  ]);

/** Makes the statements that functions make when they are called. */
export async function makeOtherStatements(): Promise<void> {
  allChecks((() => undefined) as never, {} as never);
  const sql: Sql = { query: () => Promise.resolve([]) };
  const counting: Sql = { query: () => Promise.resolve([{ n: 0 }] as never) };
  const lists = new VideoLists(sql);
  const keyHash = Buffer.alloc(32);
  for (const query of QUERIES) {
    await listVideosOfAccount(sql, 'an account', query);
    await countVideosOfAccount(counting, 'an account', query, 100);
    // The first two are asked alone, and those that come meanwhile together. None finds its key.
    await Promise.allSettled([1, 2, 3, 4].map(() => lists.page(keyHash, query)));
  }
}
