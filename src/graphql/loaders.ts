import DataLoader from 'dataloader';

import type { Processing } from '../domain/processing/processing.entity.js';
import type { Rendition } from '../domain/videos/rendition.entity.js';
import type { OpenUpload } from '../domain/videos/videoParts.js';
import type { GraphqlServices } from './services.js';

/** Which video of which account. Staff may look at several accounts in one request. */
export interface VideoKey {
  readonly accountId: string;
  readonly uuid: string;
}

export interface Loaders {
  readonly renditions: DataLoader<VideoKey, Rendition[], string>;
  readonly processing: DataLoader<VideoKey, Processing | null, string>;
  readonly upload: DataLoader<VideoKey, OpenUpload | null, string>;
}

/** Parts of videos, each kind read in one statement for all videos of an account that a request shows. */
export function createLoaders({ videoParts }: Pick<GraphqlServices, 'videoParts'>): Loaders {
  return {
    renditions: loader((accountId, videoIds) => videoParts.renditions(accountId, videoIds)),
    processing: loader((accountId, videoIds) => videoParts.processing(accountId, videoIds)),
    upload: loader((accountId, videoIds) => videoParts.openUploads(accountId, videoIds)),
  };
}

function loader<Part>(
  read: (accountId: string, videoIds: readonly string[]) => Promise<Part[]>,
): DataLoader<VideoKey, Part, string> {
  const load = async (keys: readonly VideoKey[]): Promise<Part[]> => {
    const parts = new Map<string, Part>();
    for (const [accountId, ofAccount] of Map.groupBy(keys, (key) => key.accountId)) {
      const found = await read(
        accountId,
        ofAccount.map((key) => key.uuid),
      );
      for (const [index, key] of ofAccount.entries()) parts.set(cacheKeyOf(key), found[index] as Part);
    }
    return keys.map((key) => parts.get(cacheKeyOf(key)) as Part);
  };
  return new DataLoader(load, { cacheKeyFn: cacheKeyOf, maxBatchSize: 500 });
}

function cacheKeyOf({ accountId, uuid }: VideoKey): string {
  return `${accountId}/${uuid}`;
}
