import type { MultipartRows, UploadStaging } from '../../ports/uploadStaging.js';
import { ByteBudget } from './byteBudget.js';
import { DiskUploadStaging } from './diskStaging.js';
import { EitherStaging } from './eitherStaging.js';
import type { StoreKind } from './openStores.js';
import type { S3Multiparts } from './s3Multiparts.js';

/** Of a process: sixty-four videos that come in at once, or half as many that come faster than the bucket takes them. */
const MEMORY_BYTES = 512 * 1024 * 1024;

export interface StagingOptions {
  /** Of unfinished uploads on disk. */
  readonly dir: string;
  /** Where videos go. */
  readonly kind: StoreKind;
  readonly rows: MultipartRows;
  /** Of the bucket, where there is one. */
  readonly multiparts: S3Multiparts | null;
}

/** Where videos go to the bucket, so do the bytes of uploads; those that began in the other place end there. */
export async function openStaging({ dir, kind, rows, multiparts }: StagingOptions): Promise<UploadStaging> {
  const disk = await DiskUploadStaging.open({ dir });
  if (multiparts === null) return disk;
  const { S3UploadStaging } = await import('./s3Staging.js');
  const s3 = new S3UploadStaging({ rows, multiparts, budget: new ByteBudget(MEMORY_BYTES) });
  return kind === 's3' ? new EitherStaging(s3, disk) : new EitherStaging(disk, s3);
}
