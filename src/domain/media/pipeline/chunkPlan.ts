import { regularSegments, shownMs } from '../../../ports/timeline.js';
import type { ChunkLayout } from './chunk.service.js';
import type { ChunkSpan, SourceProbe, VideoRendition } from '../../../ports/transcoder.js';
import type { Stage } from './stages.js';

/** Shorter videos are done before helpers have even heard of them. */
export const CHUNKS_FROM_SECONDS = 600;
/** Long enough to make the cost of starting an encoder and seeking to the previous keyframe negligible. */
export const CHUNK_SECONDS = 120;
/** Bounds the rows and invitations of a video, however long it is. */
const MAX_CHUNKS = 500;

export interface ChunkSettings {
  /** Videos of at least this length are made in chunks. */
  readonly chunksFromSeconds?: number | undefined;
  readonly chunkSeconds?: number | undefined;
}

/** If a video is this many times as long, pictures and sound are made beside the chunks, in a separate decode. */
const ASIDE_FROM = 3;

function chunksFromMs({ chunksFromSeconds = CHUNKS_FROM_SECONDS }: ChunkSettings): number {
  return chunksFromSeconds * 1_000;
}

function asideFromMs(settings: ChunkSettings): number {
  return ASIDE_FROM * chunksFromMs(settings);
}

/**
 * Pictures need a pass over the whole video, which takes long for a long video. Once something plays, they become a
 * stage of their own, which the run's worker makes while others encode the chunks of the next stage.
 *
 * @param plays whether some of the video already plays
 * @returns null if they stay with another decode
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

/** A stage that is made in chunks, and the part of it that needs the whole video. */
export interface ChunkableStage {
  readonly renditions: readonly VideoRendition[];
  readonly aside: Stage | null;
}

/** Only encoded pictures can be made in chunks. */
export function chunkable(
  stage: Stage,
  { durationMs }: Pick<SourceProbe, 'durationMs'>,
  settings: ChunkSettings,
): ChunkableStage | null {
  if (durationMs < chunksFromMs(settings)) return null;
  const renditions = stage.renditions.flatMap((rendition) => (rendition.quality === 'audio' ? [] : [rendition]));
  if (renditions.length === 0 || renditions.some(({ passthrough }) => passthrough)) return null;
  const sound = stage.renditions.filter(({ quality }) => quality === 'audio');
  if (sound.length === 0 && !stage.pictures) return { renditions, aside: null };
  if (durationMs < asideFromMs(settings)) return null;
  return { renditions, aside: { renditions: sound, pictures: stage.pictures } };
}

/**
 * Plans chunks of about equal length, each of whole segments. The last one is at least half as long as the others.
 * @param boundaries where segments begin; null for segments of constant length
 */
export function planChunks(
  probe: Pick<SourceProbe, 'durationMs' | 'video'>,
  { chunkSeconds = CHUNK_SECONDS }: ChunkSettings,
  boundaries: readonly number[] | null = null,
): ChunkLayout {
  const segments = boundaries?.length ?? regularSegments(shownMs(probe));
  const wanted = Math.max(1, Math.round(probe.durationMs / 1_000 / chunkSeconds));
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
  // Without boundaries, a source may continue a little after its announced end.
  return { chunks, endSegment: boundaries === null ? segments + 1 : segments };
}
