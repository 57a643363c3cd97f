import { execute, type Sql } from '../../../db/sql.js';
import type { StagedBytes } from '../../../ports/uploadStaging.js';
import { UNKNOWN } from './upload.sql.js';

const BATCH = 100;

/** Staged bytes that belong to no open upload. Holds one batch at a time. */
export async function* unknownOf(sql: Sql, staged: AsyncIterable<StagedBytes>): AsyncGenerator<StagedBytes> {
  let batch: StagedBytes[] = [];
  for await (const bytes of staged) {
    batch.push(bytes);
    if (batch.length < BATCH) continue;
    yield* await unknownIn(sql, batch);
    batch = [];
  }
  if (batch.length > 0) yield* await unknownIn(sql, batch);
}

async function unknownIn(sql: Sql, batch: readonly StagedBytes[]): Promise<StagedBytes[]> {
  const rows = await execute(sql, UNKNOWN, {
    accountIds: batch.map(({ accountId }) => accountId),
    ids: batch.map(({ uploadId }) => uploadId),
    multipartIds: batch.map(({ multipart }) => multipart?.id ?? null),
  });
  return rows.flatMap(({ n }) => batch[n - 1] ?? []);
}
