import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

import { encryptedPlaylist } from '../domain/media/keys/encryptedPlaylist.js';
import type { MediaKeyService, RunKeys } from '../domain/media/keys/mediaKeys.service.js';
import type { Claim } from '../domain/media/pipeline/attempt.service.js';
import {
  chunkSegmentName,
  type ChunkService,
  type FinishedChunk,
  type StageRenditions,
} from '../domain/media/pipeline/chunk.service.js';
import { withoutDominated, type MeasuredRendition } from '../domain/media/pipeline/dominated.js';
import type { Unfit } from '../domain/media/pipeline/processingChunk.entity.js';
import type { Logger } from '../logger.js';
import type { ObjectStore } from '../ports/objectStore.js';
import {
  ChunkUnfitError,
  type EncodedLadder,
  type EncodedRendition,
  type EncodeProgress,
  type Transcoder,
} from '../ports/transcoder.js';
import { ChunkFailedError } from './failureOf.js';
import { makeChunk } from './makeChunk.js';
import { digestOfFile, renditionDigest } from './renditionDigest.js';

export interface ChunkedStageDeps {
  readonly chunks: ChunkService;
  readonly mediaKeys: MediaKeyService;
  readonly transcoder: Transcoder;
  readonly store: ObjectStore;
  readonly logger: Logger;
}

export interface ChunkedStageRun {
  readonly claim: Claim;
  readonly renditions: StageRenditions;
  /** Segment boundaries; null for segments of constant length. */
  readonly boundaries: readonly number[] | null;
  readonly sourcePath: string;
  /** The run's private folder. */
  readonly folder: string;
  /** Saved before the chunks start, so that helpers find them; null for an unencrypted video. */
  readonly keys: RunKeys | null;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: EncodeProgress) => void;
  /** Makes the part of the stage that is not chunked, while other workers encode chunks. */
  readonly makeAside: (() => Promise<EncodedLadder>) | null;
  /** What of the video is stored. */
  readonly stored: readonly MeasuredRendition[];
}

/** How often a run checks the progress of its helpers. */
const LOOK_MS = 1_000;

/**
 * Makes renditions of a long video from planned chunks, together with every worker that has a free slot, and joins
 * them. Segments are stored at their final place, so only playlists and init segments are left to write.
 *
 * @returns what is stored
 * @throws ChunkFailedError if the video cannot be made at all; any other error of a chunk is the service's own fault
 */
export async function makeInChunks(deps: ChunkedStageDeps, run: ChunkedStageRun): Promise<EncodedLadder | Unfit> {
  const look = lookerAt(deps, run);
  const over = new AbortController();
  const watching = watch(look, over.signal);
  try {
    const aside = (await run.makeAside?.()) ?? null;
    const unfit = await workThrough(deps, run, look);
    if (unfit !== null) return { unfit };
    return together(await joinChunks(deps, run), aside);
  } catch (error) {
    // Encoders of two versions may have made the chunks.
    if (error instanceof ChunkUnfitError) return { unfit: error.message };
    throw error;
  } finally {
    over.abort();
    await watching;
  }
}

function together(pictures: EncodedLadder, aside: EncodedLadder | null): EncodedLadder {
  if (aside === null) return pictures;
  return {
    renditions: [...pictures.renditions, ...aside.renditions],
    posterPath: aside.posterPath,
    storyboard: aside.storyboard,
    durationMs: Math.max(pictures.durationMs, aside.durationMs),
    sizeBytes: pictures.sizeBytes + aside.sizeBytes,
  };
}

/** Reports how far the chunks are. */
type Look = () => Promise<{ isDone: boolean; unfit: string | null }>;

function lookerAt({ chunks }: ChunkedStageDeps, { claim, renditions, onProgress }: ChunkedStageRun): Look {
  const pace = new Pace(claim.probe.durationMs / 1000);
  return async () => {
    const { refusal, percent, ...state } = await chunks.state(claim, renditions);
    if (refusal && 'failure' in refusal) throw new ChunkFailedError(refusal.failure);
    onProgress(pace.progressAt(percent));
    return { isDone: state.done === state.chunks, unfit: refusal?.unfit ?? null };
  };
}

/** Shows the helpers' progress while this worker makes something else. */
async function watch(look: Look, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    await delay(LOOK_MS, undefined, { signal: over }).catch(() => undefined);
    if (!over.aborted) await look().catch(() => undefined);
  }
}

/** Works until all chunks are done, by any worker. @returns why the video cannot be cut, or null */
async function workThrough(
  { chunks, ...deps }: ChunkedStageDeps,
  { claim, renditions, sourcePath, folder, keys, signal }: ChunkedStageRun,
  look: Look,
): Promise<string | null> {
  for (;;) {
    signal.throwIfAborted();
    const { isDone, unfit } = await look();
    if (isDone || unfit !== null) return unfit;
    // Take no chunk of a later stage: this stage should play as soon as its last chunk is done.
    const chunk = await chunks.claimNext(claim, renditions);
    if (chunk) await makeChunk({ ...deps, chunks }, chunk, { sourcePath, folder, keys, stop: signal });
    // If the signal wakes this, the next iteration throws the signal's reason.
    else await delay(LOOK_MS, undefined, { signal }).catch(() => undefined);
  }
}

async function joinChunks(deps: ChunkedStageDeps, run: ChunkedStageRun): Promise<EncodedLadder> {
  const { chunks, transcoder, logger } = deps;
  const finished = await chunks.finished(run.claim, run.renditions);
  const names = finished.flatMap(({ fence, firstSegment, facts }) =>
    facts.renditions[0]!.segments.map((_, place) => chunkSegmentName(firstSegment + place, fence)),
  );
  const outputDir = join(run.folder, 'joined');
  const segmentName = (segment: number): string => names[segment]!;
  const { renditions: wanted, boundaries } = run;
  const joined = await transcoder.joinChunks({
    renditions: wanted,
    chunks: finished.map(({ facts }) => facts.renditions),
    segmentName,
    outputDir,
    ...(boundaries && { boundaries }),
  });
  const kept = withoutDominated(joined, run.stored);
  const renditions = await Promise.all(
    kept.map((rendition) => storeJoined(deps, { ...run, outputDir, finished }, rendition)),
  );
  for (const { quality } of joined.filter((rendition) => !kept.includes(rendition))) {
    await deps.store.deletePrefix(`${run.claim.outputPrefix}${quality}/`);
  }
  const helped = finished.filter(({ fence }) => fence > 1).length;
  logger.info({ chunks: finished.length, madeAgain: helped }, 'chunks joined');
  return {
    renditions,
    posterPath: null,
    storyboard: null,
    durationMs: Math.max(0, ...renditions.map(({ durationMs }) => durationMs)),
    sizeBytes: renditions.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
  };
}

/** Store the playlist last, so that everything it lists exists. */
async function storeJoined(
  { store }: ChunkedStageDeps,
  {
    claim,
    keys,
    outputDir,
    finished,
    signal,
  }: ChunkedStageRun & { outputDir: string; finished: readonly FinishedChunk[] },
  rendition: EncodedRendition,
): Promise<EncodedRendition> {
  const initDigest = await digestOfFile(join(outputDir, rendition.initPath));
  await store.putFile(claim.outputPrefix + rendition.initPath, join(outputDir, rendition.initPath));
  const keyFramesPath = rendition.keyFrames?.playlistPath;
  if (keyFramesPath) await store.putFile(claim.outputPrefix + keyFramesPath, join(outputDir, keyFramesPath));
  const clear = await readFile(join(outputDir, rendition.playlistPath), 'utf8');
  const vectors = finished.flatMap(({ facts }) => facts.vectors?.[rendition.quality] ?? []);
  const seals = vectors.map((iv, segment) => ({ ...keys!.sealOf(segment), iv: Buffer.from(iv, 'hex') }));
  const playlist = Buffer.from(keys ? encryptedPlaylist(clear, seals) : clear);
  const sizeBytes = playlist.length;
  await store.put(claim.outputPrefix + rendition.playlistPath, Readable.from([playlist]), { signal, sizeBytes });

  const segmentDigests = finished.flatMap(({ facts }) => facts.digests[rendition.quality] ?? []);
  const digests = new Map(rendition.segmentPaths.map((path, segment) => [path, segmentDigests[segment]!]));
  const sha256 = renditionDigest(rendition, digests.set(rendition.initPath, initDigest));
  return {
    ...rendition,
    sizeBytes: rendition.sizeBytes + playlist.length - Buffer.byteLength(clear),
    ...(sha256 !== undefined && { sha256 }),
  };
}

/** Speed of all workers together, measured since this one began to watch. */
class Pace {
  private readonly startedMs = performance.now();
  private percent = 0;
  /** The percentage already done at that time. */
  private before: number | undefined;

  constructor(private readonly durationSeconds: number) {}

  progressAt(percent: number): EncodeProgress {
    // The work of a lost worker is done again; the bar waits meanwhile.
    this.percent = Math.max(this.percent, percent);
    this.before ??= percent;
    const seconds = (performance.now() - this.startedMs) / 1000;
    const share = (percent - this.before) / 100;
    const isKnown = share > 0.01;
    return {
      step: 'encoding',
      percent: this.percent,
      speed: isKnown ? (share * this.durationSeconds) / seconds : null,
      etaSeconds: isKnown ? Math.ceil((seconds * (1 - percent / 100)) / share) : null,
    };
  }
}
