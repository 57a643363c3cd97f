import { join } from 'node:path';

import type { ObjectLinks } from '../../ports/objectLinks.js';
import type { ObjectStore } from '../../ports/objectStore.js';
import { DiskObjectStore } from './disk.js';
import { FallbackObjectStore } from './fallback.js';
import { StoreRefusedError } from './refused.js';
import type { S3ObjectStore, S3ObjectStoreOptions } from './s3.js';
import type { S3Multiparts } from './s3Multiparts.js';

export type StoreKind = 'disk' | 's3';

export interface StoresOptions {
  /** Absolute; of the disk store, and of what the S3 store lends as files. */
  readonly dataDir: string;
  readonly kind: StoreKind;
  /** Read from where `kind` does not have an object yet. */
  readonly fallback?: StoreKind | undefined;
  /** `null` where there is none: then nothing can be on S3. */
  readonly bucket: Omit<S3ObjectStoreOptions, 'downloadDir'> | null;
}

/** What the service keeps its videos in. */
export interface OpenedStores {
  readonly store: ObjectStore;
  /** What `store` reads from: where new videos go, and perhaps where older ones are. */
  readonly kinds: readonly StoreKind[];
  /** Presigned addresses of all objects; `null` where the store has none, or not everything lies there yet. */
  readonly links: ObjectLinks | null;
  /** Of the bucket, where videos go to it or come from it. */
  readonly multiparts: S3Multiparts | null;
  /** One of the two alone, for moving objects from one to the other. */
  only(kind: StoreKind): Promise<ObjectStore>;
  close(): void;
}

/** @throws StoreRefusedError where the bucket is not ours to use; SERVICE_UNAVAILABLE where nobody answers. */
export async function openStores({ dataDir, kind, fallback, bucket }: StoresOptions): Promise<OpenedStores> {
  let disk: DiskObjectStore | undefined;
  let s3: S3ObjectStore | undefined;
  const only = async (wanted: StoreKind): Promise<ObjectStore> => {
    if (wanted === 'disk') return (disk ??= await DiskObjectStore.open({ dir: join(dataDir, 'store') }));
    // The client is large: whoever keeps videos on disk does not wait for it.
    const { S3ObjectStore: S3 } = await import('./s3.js');
    if (bucket === null) throw new StoreRefusedError('There are no settings for the S3 store.');
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
