import type { ChunkLayout } from './chunk.service.js';
import type { ChunkSpan, SourceProbe, VideoRendition } from '../../../ports/transcoder.js';
import type { Stage } from './stages.js';

/** Shorter videos are made before many workers have even heard of them. */
export const CHUNKS_FROM_SECONDS = 600;
/** Long enough that starting an encoder, and reading from the keyframe before, is not noticed. */
export const CHUNK_SECONDS = 120;
const SEGMENT_SECONDS = 4;
/** A video of any length is so many rows and invitations at most. */
const MAX_CHUNKS = 500;

export interface ChunkSettings {
  /** From which length on a video is made in chunks. */
  readonly chunksFromSeconds?: number | undefined;
  readonly chunkSeconds?: number | undefined;
}

/** In videos so many times as long as those, pictures and sound are made beside the chunks, by a decode of their own. */
const ASIDE_FROM = 3;

function chunksFromMs({ chunksFromSeconds = CHUNKS_FROM_SECONDS }: ChunkSettings): number {
  return chunksFromSeconds * 1_000;
}

function asideFromMs(settings: ChunkSettings): number {
  return ASIDE_FROM * chunksFromMs(settings);
}

/**
 * Pictures look at the whole video, which takes long where the video is: as soon as something plays they are a stage of
 * their own, which the run's worker makes while others are at the chunks of the next.
 *
 * @param plays whether some of the video does already
 * @returns null where they stay with what is decoded for more than them
 */
export function picturesApart(
  stages: readonly Stage[],
  { durationMs }: Pick<SourceProbe, 'durationMs'>,
  { plays, ...settings }: ChunkSettings & { readonly plays: boolean },
): Stage[] | null {
  const index = stages.findIndex(({ pictures }) => pictures);
  const place = plays || index > 0 ? index : index + 1;
  if (index === -1 || place === stages.length || durationMs < asideFromMs(settings)) return null;
  return stages.map((stage) => ({ ...stage, pictures: false })).toSpliced(place, 0, { renditions: [], pictures: true });
}

/** A stage that is made in chunks, and what of it looks at the whole video. */
export interface ChunkableStage {
  readonly renditions: readonly VideoRendition[];
  readonly aside: Stage | null;
}

/** Only pictures that are encoded can be cut. */
export function chunkable(
  stage: Stage,
  { durationMs }: Pick<SourceProbe, 'durationMs'>,
  settings: ChunkSettings,
): ChunkableStage | null {
  if (durationMs < chunksFromMs(settings)) return null;
  const renditions = stage.renditions.flatMap((rendition) => (rendition.quality === 'audio' ? [] : [rendition]));
  if (renditions.length === 0 || renditions.some(({ copy }) => copy)) return null;
  const sound = stage.renditions.filter(({ quality }) => quality === 'audio');
  if (sound.length === 0 && !stage.pictures) return { renditions, aside: null };
  if (durationMs < asideFromMs(settings)) return null;
  return { renditions, aside: { renditions: sound, pictures: stage.pictures } };
}

/**
 * Chunks of about one length, each of whole segments; the last one is at least half as long as the others.
 * @param boundaries where segments begin; null is by the clock
 */
export function planChunks(
  { durationMs }: Pick<SourceProbe, 'durationMs'>,
  { chunkSeconds = CHUNK_SECONDS }: ChunkSettings,
  boundaries: readonly number[] | null = null,
): ChunkLayout {
  const segments = boundaries?.length ?? Math.ceil(durationMs / 1_000 / SEGMENT_SECONDS);
  const wanted = Math.max(1, Math.round(durationMs / 1_000 / chunkSeconds));
  const count = Math.max(1, Math.min(wanted, MAX_CHUNKS, segments));
  const length = Math.ceil(segments / count);
  const chunks: Required<ChunkSpan>[] = [];
  for (let first = 0; first < segments; first += length) {
    chunks.push({ firstSegment: first, endSegment: first + length });
  }
  const last = chunks.at(-1)!;
  const before = chunks.at(-2);
  if (before && segments - last.firstSegment < length / 2) {
    chunks.pop();
    chunks[chunks.length - 1] = { ...before, endSegment: null };
  } else chunks[chunks.length - 1] = { ...last, endSegment: null };
  // By the clock, a source may go on a little after its announced end.
  return { chunks, endSegment: boundaries === null ? segments + 1 : segments };
}
