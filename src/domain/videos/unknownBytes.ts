import type { Sql } from '../../db/sql.js';
import type { StagedBytes } from '../../ports/uploadStaging.js';
import { UNKNOWN } from './uploadStatements.js';

/** Of what is staged, what no open upload has. */
export async function unknownOf(sql: Sql, staged: readonly StagedBytes[]): Promise<StagedBytes[]> {
  if (staged.length === 0) return [];
  const rows = await sql.query<{ n: number }>(UNKNOWN, [
    staged.map(({ accountId }) => accountId),
    staged.map(({ uploadId }) => uploadId),
    staged.map(({ multipart }) => multipart?.id ?? null),
  ]);
  return rows.flatMap(({ n }) => staged[n - 1] ?? []);
}
