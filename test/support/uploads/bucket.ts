import { ByteBudget } from '../../../src/adapters/store/byteBudget.js';
import { S3ObjectStore, type S3ObjectStoreOptions } from '../../../src/adapters/store/s3.js';
import { S3UploadStaging } from '../../../src/adapters/store/s3Staging.js';
import type { Sql } from '../../../src/db/sql.js';
import { multipartRows } from '../../../src/domain/media/uploads/multipartRows.js';

/** The minimum of S3. */
export const PART_BYTES = 5 * 1024 * 1024;

/** The options of a node that takes uploads into a bucket. */
export async function openBucket(options: S3ObjectStoreOptions, budget = new ByteBudget(8 * PART_BYTES)) {
  const store = await S3ObjectStore.open(options);
  const { multiparts } = store;
  const gather = (sql: Sql) =>
    new S3UploadStaging({ rows: multipartRows(sql), multiparts, budget, partBytes: PART_BYTES });
  return { store, gather, budget };
}
