import { join } from 'node:path';

import type { ObjectLinks } from '../../ports/objectLinks.js';
import type { ObjectStore } from '../../ports/objectStore.js';
import type { MultipartRows, UploadStaging } from '../../ports/uploadStaging.js';
import { ByteBudget } from './byteBudget.js';
import { DiskObjectStore } from './disk.js';
import { DiskUploadStaging } from './diskStaging.js';
import { EitherStaging } from './eitherStaging.js';
import { FallbackObjectStore } from './fallback.js';
import { StoreRefusedError } from './refused.js';
import type { S3ObjectStore, S3ObjectStoreOptions } from './s3.js';
import type { S3Multiparts } from './s3Multiparts.js';

export type StoreKind = 'disk' | 's3';

export interface StoresOptions {
  /** Absolute. Holds the disk store, and the files that the S3 store lends. */
  readonly dataDir: string;
  readonly kind: StoreKind;
  /** Read if `kind` does not have an object yet. */
  readonly fallback?: StoreKind | undefined;
  /** `null` if there is none: then nothing can be on S3. */
  readonly bucket: Omit<S3ObjectStoreOptions, 'downloadDir'> | null;
}

/** The stores where the service keeps its videos. */
export interface OpenedStores {
  readonly store: ObjectStore;
  /** The stores that `store` reads: the one for new videos, and perhaps one that has older ones. */
  readonly kinds: readonly StoreKind[];
  /** Presigned addresses of all objects; `null` if the store has none, or not all objects are there yet. */
  readonly links: ObjectLinks | null;
  /** Of the bucket, if videos go to it or come from it. */
  readonly multiparts: S3Multiparts | null;
  /** Only one of the two stores, for moving objects between them. */
  only(kind: StoreKind): Promise<ObjectStore>;
  close(): void;
}

/** @throws StoreRefusedError if the bucket may not be used; SERVICE_UNAVAILABLE if it does not respond */
export async function openStores({ dataDir, kind, fallback, bucket }: StoresOptions): Promise<OpenedStores> {
  let disk: DiskObjectStore | undefined;
  let s3: S3ObjectStore | undefined;
  const only = async (wanted: StoreKind): Promise<ObjectStore> => {
    if (wanted === 'disk') return (disk ??= await DiskObjectStore.open({ dir: join(dataDir, 'store') }));
    // Load the S3 client only when needed: it is large.
    const { S3ObjectStore: S3 } = await import('./s3.js');
    if (bucket === null) throw new StoreRefusedError('The S3 store is not configured.');
    return (s3 ??= await S3.open({ ...bucket, downloadDir: join(dataDir, 'downloads') }));
  };
  const main = await only(kind);
  const store = fallback === undefined ? main : new FallbackObjectStore(main, await only(fallback));
  return {
    store,
    kinds: fallback === undefined ? [kind] : [kind, fallback],
    multiparts: s3?.multiparts ?? null,
    links: fallback === undefined ? (s3?.links ?? null) : null,
    only,
    close: () => s3?.close(),
  };
}

/** Per process: enough for 64 concurrent uploads, or half as many that come in faster than the bucket takes them. */
const MEMORY_BYTES = 512 * 1024 * 1024;

interface StagingOptions {
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
