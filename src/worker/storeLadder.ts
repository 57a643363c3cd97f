import { join } from 'node:path';

import type { ObjectStore } from '../ports/objectStore.js';
import type { EncodedLadder } from '../ports/transcoder.js';
import { inParallel } from './inParallel.js';
import { digestOfFile, type Digests } from './renditionDigest.js';

/** Enough to hide one file's latency behind the others', few enough to leave the disk to its readers. */
const AT_ONCE = 8;

export interface StoreLadderOptions {
  readonly signal: AbortSignal;
  /** Called with the share that is stored: 0 to 1. */
  readonly onStored: (share: number) => void;
  /** How one file, relative to the output folder, is stored: moved as it is, where left out. */
  readonly put?: (path: string) => Promise<void>;
  /** Gets those of init and media segments; `put` adds its own. */
  readonly digests: Digests;
}

/** Moves a finished ladder out of its work folder to the keys under `prefix`. Playlists follow their segments. */
export async function storeLadder(
  store: ObjectStore,
  outputDir: string,
  prefix: string,
  ladder: EncodedLadder,
  { signal, onStored, put, digests }: StoreLadderOptions,
): Promise<void> {
  const media = new Set(ladder.renditions.flatMap((rendition) => [rendition.initPath, ...rendition.segmentPaths]));
  const files = [
    ...media,
    ...(ladder.posterPath === null ? [] : [ladder.posterPath]),
    ...(ladder.storyboard?.paths ?? []),
    ...ladder.renditions.flatMap(({ playlistPath, keyFrames }) =>
      keyFrames ? [keyFrames.playlistPath, playlistPath] : [playlistPath],
    ),
  ];
  let stored = 0;
  // All under way are waited for: after a failure nothing may still be writing when the prefix is swept.
  await inParallel(files, AT_ONCE, async (path) => {
    signal.throwIfAborted();
    if (put) await put(path);
    else {
      if (media.has(path)) digests.set(path, await digestOfFile(join(outputDir, path)));
      await store.putFile(prefix + path, join(outputDir, path));
    }
    stored += 1;
    onStored(stored / files.length);
  });
}
