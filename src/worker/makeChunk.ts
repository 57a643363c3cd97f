import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import type { MediaKeyService, RunKeys } from '../domain/media/keys/mediaKeys.service.js';
import { encryptedSize } from '../domain/media/keys/segmentCipher.js';
import { chunkSegmentName, type ChunkClaim, type ChunkService } from '../domain/media/pipeline/chunk.service.js';
import type { ChunkFacts } from '../domain/media/pipeline/processingChunk.entity.js';
import type { Logger } from '../logger.js';
import type { ObjectStore } from '../ports/objectStore.js';
import { ChunkUnfitError, type EncodedChunkRendition, type Transcoder } from '../ports/transcoder.js';
import { failureOf, isInDoubt } from './failureOf.js';
import { inParallel } from './inParallel.js';
import { ProgressReporter, type Progress } from './progressReporter.js';
import { putEncrypted } from './putEncrypted.js';
import { digestOfFile } from './renditionDigest.js';
import { takeOverChunk } from './takeOverChunk.js';

export interface MakeChunkDeps {
  readonly chunks: ChunkService;
  readonly mediaKeys: MediaKeyService;
  readonly transcoder: Transcoder;
  readonly store: ObjectStore;
  readonly logger: Logger;
}

export interface ChunkWork {
  readonly sourcePath: string;
  /** The run's private folder on this machine. Chunks of other runs may be in it. */
  readonly folder: string;
  readonly keys: RunKeys | null;
  readonly stop: AbortSignal;
}

const STORED_AT_ONCE = 8;
/** A claim lasts as long as it is reported, even if the encoder outputs nothing. */
const HEARTBEAT_MS = 3_000;
/** The share of a chunk's progress that is encoding; storing it is the rest. */
const ENCODE_SHARE = 0.97;

/**
 * Encodes a claimed chunk, or copies what an earlier run made of it, then stores it and reports the outcome. If the
 * claim is lost meanwhile, it ends quietly: another worker has the chunk, or nobody needs it any more.
 * @throws errors of the service itself; the chunk is then free for others
 */
export async function makeChunk(deps: MakeChunkDeps, claim: ChunkClaim, work: ChunkWork): Promise<void> {
  const { chunks } = deps;
  const lost = new AbortController();
  const signal = AbortSignal.any([work.stop, lost.signal]);
  const onLost = (): void => lost.abort(new Error('the chunk is no longer wanted from here'));
  let percent = 0;
  const reporter = new ProgressReporter((progress) => chunks.report(claim, progress.percent), onLost);
  const progressAt = (next: number): Progress => {
    percent = next;
    return { step: 'encoding', percent, speed: null, etaSeconds: null };
  };
  const report = (next: number): void => reporter.report(progressAt(next));
  const heartbeat = setInterval(() => report(percent), HEARTBEAT_MS);
  const outputDir = join(work.folder, `chunk_${claim.chunk}_${claim.fence}`);
  const encodeAndStore = async (): Promise<ChunkFacts> => {
    const renditions = await deps.transcoder.encodeChunk({
      sourcePath: work.sourcePath,
      probe: claim.probe,
      renditions: claim.renditions,
      chunk: claim.span,
      ...(claim.boundaries && { boundaries: claim.boundaries }),
      brand: claim.brand,
      // Players cannot decrypt part of an encrypted segment, so there is no I-frame playlist.
      keyFrames: work.keys === null,
      outputDir,
      signal,
      onProgress: (encoded) => report(encoded.percent * ENCODE_SHARE),
    });
    // Check before the first write: a worker that was suspended during its encode learns here that it lost its claim.
    if (!(await reporter.reportNow(progressAt(100 * ENCODE_SHARE)))) onLost();
    return storeChunk(deps.store, claim, { renditions, outputDir, keys: work.keys, signal });
  };
  try {
    const { keys } = work;
    const copied = await takeOverChunk(deps, claim, { keys, signal, onCopied: (share) => report(99 * share) });
    const facts = copied ?? (await encodeAndStore());
    const taken = await chunks.finish(claim, facts);
    const { chunk, fence } = claim;
    if (copied) deps.logger.info({ chunk, fence, taken, fromRun: claim.made?.run }, 'chunk taken over');
    else deps.logger.info({ chunk, fence, taken }, 'chunk made');
  } catch (error) {
    if (lost.signal.aborted) return;
    // If this machine may be at fault, the worker of the run decides.
    const failure = isInDoubt(error) ? null : failureOf(error);
    if (error instanceof ChunkUnfitError) await chunks.refuse(claim, { unfit: error.message });
    else if (failure && !work.stop.aborted) await chunks.refuse(claim, { failure });
    else {
      // The database may be unavailable. Then the chunk becomes free after it has been silent for long enough.
      await chunks.release(claim).catch(() => false);
      throw error;
    }
  } finally {
    clearInterval(heartbeat);
    await reporter.stop();
    await rm(outputDir, { recursive: true, force: true });
  }
}

interface StoreChunk {
  readonly renditions: readonly EncodedChunkRendition[];
  readonly outputDir: string;
  readonly keys: RunKeys | null;
  readonly signal: AbortSignal;
}

async function storeChunk(store: ObjectStore, claim: ChunkClaim, chunk: StoreChunk): Promise<ChunkFacts> {
  const { keys, outputDir, signal } = chunk;
  const digests: Record<string, string[]> = {};
  const vectors: Record<string, string[]> = {};
  const files = chunk.renditions.flatMap(({ quality, segments }) => segments.map((_, place) => ({ quality, place })));
  await inParallel(files, STORED_AT_ONCE, async ({ quality, place }) => {
    signal.throwIfAborted();
    const segment = claim.span.firstSegment + place;
    const path = join(outputDir, quality, `seg_${String(segment).padStart(5, '0')}.m4s`);
    const key = `${claim.outputPrefix}${quality}/${chunkSegmentName(segment, claim.fence)}`;
    const seal = keys?.sealOf(segment) ?? null;
    const digest = seal ? (await putEncrypted(store, key, { path, seal, signal })).digest : await digestOfFile(path);
    if (!seal) await store.putFile(key, path);
    (digests[quality] ??= [])[place] = digest;
    if (seal) (vectors[quality] ??= [])[place] = seal.iv.toString('hex');
  });
  const stored = (sizeBytes: number): number => (keys ? encryptedSize(sizeBytes) : sizeBytes);
  const renditions = chunk.renditions.map((rendition) => ({
    ...rendition,
    segments: rendition.segments.map((segment) => ({ ...segment, sizeBytes: stored(segment.sizeBytes) })),
  }));
  return { renditions, digests, vectors: keys && vectors };
}
