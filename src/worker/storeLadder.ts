import { join } from 'node:path';

import type { ObjectStore } from '../ports/objectStore.js';
import type { EncodedLadder } from '../ports/transcoder.js';
import { inParallel } from './inParallel.js';
import { digestOfFile, type Digests } from './renditionDigest.js';

/** Enough to hide each file's latency behind the others, and few enough to leave disk bandwidth for readers. */
const AT_ONCE = 8;

export interface StoreLadderOptions {
  readonly signal: AbortSignal;
  /** Called with the stored share: 0 to 1. */
  readonly onStored: (share: number) => void;
  /** Stores one file, given its path in the output folder. By default the file is moved unchanged. */
  readonly put?: (path: string) => Promise<void>;
  /** The digest of a file in the output folder, from its path there. */
  readonly digestOf?: (path: string) => Promise<string>;
  /** Receives the digests of init and media segments; `put` adds its own. */
  readonly digests: Digests;
}

/** Moves a finished ladder from its work folder to keys under `prefix`. Playlists follow their segments. */
export async function storeLadder(
  store: ObjectStore,
  outputDir: string,
  prefix: string,
  ladder: EncodedLadder,
  { signal, onStored, put, digests, digestOf = (path) => digestOfFile(join(outputDir, path)) }: StoreLadderOptions,
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
  // Wait for all transfers in flight: after a failure, nothing may still write when the prefix is swept.
  await inParallel(files, AT_ONCE, async (path) => {
    signal.throwIfAborted();
    if (put) await put(path);
    else {
      if (media.has(path)) digests.set(path, await digestOf(path));
      await store.putFile(prefix + path, join(outputDir, path));
    }
    stored += 1;
    onStored(stored / files.length);
  });
}
