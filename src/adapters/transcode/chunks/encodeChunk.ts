import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  PLAYLIST_FILE,
  ChunkUnfitError,
  type EncodedChunkRendition,
  type FrameRate,
  type VideoRendition,
} from '../../../ports/transcoder.js';
import { INIT_FILE } from '../encode/outputFormat.js';
import { findKeyFrame } from '../probe/keyFrames.js';
import { readPlaylist, type Segment } from '../encode/measureRendition.js';
import type { ChunkEncodePlan } from './chunkArguments.js';
import { firstFrameAt, type ChunkFrames } from './chunkFrames.js';
import { shiftSegment, timescaleOf } from '../mp4/shiftSegment.js';

/** How many seconds before a chunk reading begins. Tried in order, until a keyframe is found that is early enough. */
const SEEK_MARGINS_SECONDS = [2, 12, 40];
/**
 * Frames that are decoded and discarded before a chunk begins. Undecodable leading pictures of an open GOP are among
 * the first sixteen, and a deinterlacer needs the previous frame.
 */
const LEAD_FRAMES = 20;

/**
 * Finds where reading must begin so that the chunk's first frame, and a few before it, come out as in the whole video.
 * @param firstFrameFrom returns the first frame on the grid that comes out when reading begins there; null if none does
 * @throws ChunkUnfitError if no keyframe is near
 */
export async function findSeek(
  { first }: Pick<ChunkFrames, 'first'>,
  rate: FrameRate,
  firstFrameFrom: (seekSeconds: number) => Promise<number | null>,
): Promise<number | null> {
  const lead = first - LEAD_FRAMES;
  const leadSeconds = (lead * rate.denominator) / rate.numerator;
  for (const margin of SEEK_MARGINS_SECONDS) {
    const seekSeconds = leadSeconds - margin;
    if (seekSeconds <= 0) {
      return null;
    }
    const found = await firstFrameFrom(seekSeconds);
    if (found !== null && found <= lead) {
      // A video with a single keyframe would be decoded from its beginning for every chunk.
      const readAgainFrom = firstFrameAt(leadSeconds - 2 * SEEK_MARGINS_SECONDS.at(-1)!, rate);
      if (found < readAgainFrom) {
        break;
      }
      return seekSeconds;
    }
  }
  throw new ChunkUnfitError(`there is no keyframe near frame ${first}`);
}

/** The frame in the first line of ffmpeg's framecrc; null if it printed none. */
export function readFirstFrame(output: string): number | null {
  const pts = /^0,\s*-?\d+,\s*(-?\d+),/m.exec(output)?.[1];
  return pts === undefined ? null : Number(pts);
}

/** What the encoder left behind, and what to find out about it. */
interface Finishing {
  outputDir: string;
  /** Whether to locate each segment's first frame. */
  keyFrames: boolean;
}

/**
 * Moves a chunk's segments to their places in the video, and checks them.
 * @throws ChunkUnfitError
 */
export async function finishChunk(plan: ChunkEncodePlan, finishing: Finishing): Promise<EncodedChunkRendition[]> {
  const finished: EncodedChunkRendition[] = [];
  for (const [index, rendition] of plan.renditions.entries()) {
    try {
      finished.push(await finishRendition(plan, finishing, { rendition, frames: plan.frames[index]! }));
    } catch (error) {
      if (error instanceof ChunkUnfitError) throw error;
      throw new ChunkUnfitError(`${rendition.quality} from segment ${plan.chunk.firstSegment} on`, { cause: error });
    }
  }
  return finished;
}

async function finishRendition(
  plan: ChunkEncodePlan,
  { outputDir, keyFrames }: Finishing,
  { rendition, frames }: { rendition: VideoRendition; frames: ChunkFrames },
): Promise<EncodedChunkRendition> {
  const folder = join(outputDir, rendition.quality);
  const { segments } = readPlaylist(await readFile(join(folder, PLAYLIST_FILE), 'utf8'));
  refuseOtherFrames(plan, { rate: rendition.frameRate, frames }, segments);
  const init = await readFile(join(folder, INIT_FILE));
  const { numerator, denominator } = rendition.frameRate;
  const ticks = BigInt(frames.first) * BigInt(denominator) * timescaleOf(init);
  if (ticks % BigInt(numerator) !== 0n) {
    throw new ChunkUnfitError('the muxer does not count in whole frames');
  }
  const shift = { ticks: ticks / BigInt(numerator), fragments: plan.chunk.firstSegment };
  const sized: EncodedChunkRendition['segments'][number][] = [];
  for (const { path, durationSeconds } of segments) {
    await shiftSegment(join(folder, path), shift);
    const keyFrame = keyFrames ? await findKeyFrame(join(folder, path)) : null;
    const { size: sizeBytes } = await stat(join(folder, path));
    sized.push({ seconds: durationSeconds, sizeBytes, ...(keyFrame && { keyFrame }) });
  }
  return { quality: rendition.quality, init: init.toString('base64'), segments: sized };
}

/** Every segment must have the frames between its boundaries; the last one ends with the video. */
function refuseOtherFrames(
  { chunk, boundaries: given }: ChunkEncodePlan,
  { rate, frames }: { rate: FrameRate; frames: ChunkFrames },
  segments: readonly Segment[],
): void {
  const boundaries = [0, ...frames.boundaries, frames.end - frames.first];
  const wanted = boundaries.slice(1).map((boundary, index) => boundary - boundaries[index]!);
  const got = segments.map(({ durationSeconds }) => Math.round((durationSeconds * rate.numerator) / rate.denominator));
  const isLast = chunk.endSegment === null;
  const exact = isLast ? got.slice(0, -1) : got;
  const fits =
    exact.every((count, index) => count === wanted[index]) &&
    (isLast && given === null ? got.length > 0 && got.length <= wanted.length : got.length === wanted.length);
  if (!fits) {
    throw new ChunkUnfitError(`segments have ${got.join(' ')} frames, and not ${wanted.join(' ')}`);
  }
}
