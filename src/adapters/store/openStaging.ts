import type { MultipartRows, UploadStaging } from '../../ports/uploadStaging.js';
import { ByteBudget } from './byteBudget.js';
import { DiskUploadStaging } from './diskStaging.js';
import { EitherStaging } from './eitherStaging.js';
import type { StoreKind } from './openStores.js';
import type { S3Multiparts } from './s3Multiparts.js';

/** Per process: enough for 64 concurrent uploads, or half as many that come in faster than the bucket takes them. */
const MEMORY_BYTES = 512 * 1024 * 1024;

export interface StagingOptions {
  /** Folder of unfinished uploads on disk. */
  readonly dir: string;
  /** Where videos are stored. */
  readonly kind: StoreKind;
  readonly rows: MultipartRows;
  /** Of the bucket, if there is one. */
  readonly multiparts: S3Multiparts | null;
}

/** If videos go to the bucket, the bytes of uploads do too. Uploads that began in the other place end there. */
export async function openStaging({ dir, kind, rows, multiparts }: StagingOptions): Promise<UploadStaging> {
  const disk = await DiskUploadStaging.open({ dir });
  if (multiparts === null) return disk;
  const { S3UploadStaging } = await import('./s3Staging.js');
  const s3 = new S3UploadStaging({ rows, multiparts, budget: new ByteBudget(MEMORY_BYTES) });
  return kind === 's3' ? new EitherStaging(s3, disk) : new EitherStaging(disk, s3);
}
