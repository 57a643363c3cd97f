import { createDecipheriv } from 'node:crypto';
import { pipeline } from 'node:stream';

import type { MediaKeyService, RunKeys } from '../domain/media/keys/mediaKeys.service.js';
import { segmentCipher, type SegmentSeal } from '../domain/media/keys/segmentCipher.js';
import { chunkSegmentName, type ChunkClaim, type MadeChunk } from '../domain/media/pipeline/chunk.service.js';
import type { ChunkFacts } from '../domain/media/pipeline/processingChunk.entity.js';
import type { Logger } from '../logger.js';
import type { ObjectStore } from '../ports/objectStore.js';
import type { Transcoder } from '../ports/transcoder.js';
import { inParallel } from './inParallel.js';
import { digestTap } from './renditionDigest.js';

export interface TakeOverDeps {
  readonly mediaKeys: MediaKeyService;
  readonly store: ObjectStore;
  readonly transcoder: Pick<Transcoder, 'recipeOf'>;
  readonly logger: Logger;
}

export interface TakeOver {
  /** The keys of the claim's run. */
  readonly keys: RunKeys | null;
  readonly signal: AbortSignal;
  /** Called with the copied share: 0 to 1. */
  readonly onCopied: (share: number) => void;
}

/** One segment of the chunk, as stored. */
interface Piece {
  readonly quality: string;
  readonly place: number;
  readonly segment: number;
  readonly digest: string;
  readonly sizeBytes: number;
  readonly seal: SegmentSeal | null;
}

const COPIED_AT_ONCE = 8;

/**
 * Copies a claimed chunk that an earlier run finished to where this claim's segments are, under this run's keys. Nobody
 * else writes there, and nothing that plays depends on what earlier runs left. Every byte is checked, so a missing or
 * damaged segment costs no more than encoding the chunk again. A chunk of another encoder version is encoded again as
 * well, because its pictures may not match.
 *
 * @returns null if the chunk has to be encoded
 * @throws only the signal's reason when aborted
 */
export async function takeOverChunk(
  deps: TakeOverDeps,
  claim: ChunkClaim,
  { keys, signal, onCopied }: TakeOver,
): Promise<ChunkFacts | null> {
  const { made } = claim;
  if (made === null) return null;
  try {
    assertSameRecipe(deps.transcoder, claim, made.facts);
    const pieces = await piecesOf(deps.mediaKeys, claim, made);
    const digests: Record<string, string[]> = {};
    const vectors: Record<string, string[]> = {};
    let copied = 0;
    await inParallel(pieces, COPIED_AT_ONCE, async (piece) => {
      signal.throwIfAborted();
      const { quality, place, segment } = piece;
      const seal = keys?.sealOf(segment) ?? null;
      (digests[quality] ??= [])[place] = await copySegment(deps.store, piece, {
        from: `${made.outputPrefix}${quality}/${chunkSegmentName(segment, made.fence)}`,
        to: `${claim.outputPrefix}${quality}/${chunkSegmentName(segment, claim.fence)}`,
        seal,
        signal,
      });
      if (seal) (vectors[quality] ??= [])[place] = seal.iv.toString('hex');
      copied += 1;
      onCopied(copied / pieces.length);
    });
    return { renditions: made.facts.renditions, digests, vectors: keys && vectors };
  } catch (error) {
    signal.throwIfAborted();
    deps.logger.info({ err: error, chunk: claim.chunk, fromRun: made.run }, 'chunk not taken over');
    return null;
  }
}

function assertSameRecipe(transcoder: TakeOverDeps['transcoder'], { renditions }: ChunkClaim, facts: ChunkFacts): void {
  for (const rendition of renditions) {
    const { profile, ffmpegVersion } = transcoder.recipeOf(rendition);
    const making = facts.renditions.find(({ quality }) => quality === rendition.quality)?.making;
    if (making?.profile !== profile || making.ffmpegVersion !== ffmpegVersion) {
      throw new Error(`${rendition.quality} would be made by ${profile} of ffmpeg ${ffmpegVersion} now`);
    }
  }
}

async function piecesOf(mediaKeys: MediaKeyService, claim: ChunkClaim, { run, facts }: MadeChunk): Promise<Piece[]> {
  const keys = facts.vectors && (await mediaKeys.ofRun({ ...claim, run }));
  return facts.renditions.flatMap(({ quality, segments }) =>
    segments.map(({ sizeBytes }, place) => {
      const segment = claim.span.firstSegment + place;
      const iv = facts.vectors?.[quality]?.[place];
      const seal = keys && iv !== undefined ? { ...keys.sealOf(segment), iv: Buffer.from(iv, 'hex') } : null;
      return { quality, place, segment, sizeBytes, digest: facts.digests[quality]![place]!, seal };
    }),
  );
}

/** @returns the digest of what is stored @throws if the source segment has changed */
async function copySegment(
  store: ObjectStore,
  piece: Piece,
  { from, to, seal, signal }: { from: string; to: string; seal: SegmentSeal | null; signal: AbortSignal },
): Promise<string> {
  const { sizeBytes } = piece;
  if ((piece.seal === null) !== (seal === null)) throw new Error(`${from} cannot be opened`);
  const found = await store.get(from);
  if (found === null) throw new Error(`${from} is gone`);
  const before = digestTap();
  const after = digestTap();
  const reseal =
    piece.seal && seal ? [createDecipheriv('aes-128-cbc', piece.seal.key, piece.seal.iv), segmentCipher(seal)] : [];
  try {
    // An error in either stream destroys the other and so reaches the store.
    const body = pipeline([found.body, before.tap, ...reseal, after.tap], () => undefined);
    const stored = await store.put(to, body as typeof after.tap, { signal, sizeBytes });
    if (stored.sizeBytes !== sizeBytes || before.digest() !== piece.digest) throw new Error(`${from} was changed`);
  } finally {
    found.body.destroy();
  }
  return after.digest();
}
