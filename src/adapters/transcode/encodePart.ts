import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  PLAYLIST_FILE,
  PartUnfitError,
  type EncodedPartRung,
  type FrameRate,
  type VideoRung,
} from '../../ports/transcoder.js';
import { INIT_FILE } from './encodePlan.js';
import { findKeyFrame } from './keyFrames.js';
import { readPlaylist, type Segment } from './measureRung.js';
import type { PartPlan } from './partArguments.js';
import { firstFrameAt, type PartFrames } from './partFrames.js';
import { shiftSegment, timescaleOf } from './shiftSegment.js';

/** Seconds before a part at which reading begins, until a keyframe is found that is early enough. */
const SEEK_MARGINS_SECONDS = [2, 12, 40];
/**
 * Frames that are made and thrown away before a part begins: leading pictures of an open group that cannot be decoded
 * are among the first sixteen, and a deinterlacer looks at the frame before.
 */
const LEAD_FRAMES = 20;

/**
 * Where reading has to begin so that the part's first frame, and a few before it, come out as in the whole film.
 * @param firstFrameFrom the first frame on the grid that comes out when reading begins there; null for none at all
 * @throws PartUnfitError where no keyframe is near
 */
export async function findSeek(
  { first }: Pick<PartFrames, 'first'>,
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
      // A film of one keyframe would be decoded from its beginning for every part.
      const readAgainFrom = firstFrameAt(leadSeconds - 2 * SEEK_MARGINS_SECONDS.at(-1)!, rate);
      if (found < readAgainFrom) {
        break;
      }
      return seekSeconds;
    }
  }
  throw new PartUnfitError(`there is no keyframe near frame ${first}`);
}

/** The frame in the first line of ffmpeg's framecrc; null where it printed none. */
export function readFirstFrame(output: string): number | null {
  const pts = /^0,\s*-?\d+,\s*(-?\d+),/m.exec(output)?.[1];
  return pts === undefined ? null : Number(pts);
}

/** What the encoder left, and what is to be known of it. */
interface Finishing {
  outputDir: string;
  /** Whether to look where each segment's first frame lies. */
  keyFrames: boolean;
}

/**
 * Moves the segments of a part to their places in the film, and holds them against what they must be.
 * @throws PartUnfitError
 */
export async function finishPart(plan: PartPlan, finishing: Finishing): Promise<EncodedPartRung[]> {
  const finished: EncodedPartRung[] = [];
  for (const rung of plan.rungs) {
    try {
      finished.push(await finishRung(plan, finishing, rung));
    } catch (error) {
      if (error instanceof PartUnfitError) throw error;
      throw new PartUnfitError(`${rung.quality} from segment ${plan.part.firstSegment} on`, { cause: error });
    }
  }
  return finished;
}

async function finishRung(
  plan: PartPlan,
  { outputDir, keyFrames }: Finishing,
  rung: VideoRung,
): Promise<EncodedPartRung> {
  const folder = join(outputDir, rung.quality);
  const { segments } = readPlaylist(await readFile(join(folder, PLAYLIST_FILE), 'utf8'));
  refuseOtherFrames(plan, rung.frameRate, segments);
  const init = await readFile(join(folder, INIT_FILE));
  const { numerator, denominator } = rung.frameRate;
  const ticks = BigInt(plan.frames.first) * BigInt(denominator) * timescaleOf(init);
  if (ticks % BigInt(numerator) !== 0n) {
    throw new PartUnfitError('the muxer does not count in whole frames');
  }
  const shift = { ticks: ticks / BigInt(numerator), fragments: plan.part.firstSegment };
  const sized: EncodedPartRung['segments'][number][] = [];
  for (const { path, durationSeconds } of segments) {
    await shiftSegment(join(folder, path), shift);
    const keyFrame = keyFrames ? await findKeyFrame(join(folder, path)) : null;
    const { size: sizeBytes } = await stat(join(folder, path));
    sized.push({ seconds: durationSeconds, sizeBytes, ...(keyFrame && { keyFrame }) });
  }
  return { quality: rung.quality, init: init.toString('base64'), segments: sized };
}

/** Every segment has the frames between its borders; the film's last one ends when the film does. */
function refuseOtherFrames(
  { frames, part, borders: given }: PartPlan,
  rate: FrameRate,
  segments: readonly Segment[],
): void {
  const borders = [0, ...frames.borders, frames.end - frames.first];
  const wanted = borders.slice(1).map((border, index) => border - borders[index]!);
  const got = segments.map(({ durationSeconds }) => Math.round((durationSeconds * rate.numerator) / rate.denominator));
  const isLast = part.endSegment === null;
  const exact = isLast ? got.slice(0, -1) : got;
  const fits =
    exact.every((count, index) => count === wanted[index]) &&
    (isLast && given === null ? got.length > 0 && got.length <= wanted.length : got.length === wanted.length);
  if (!fits) {
    throw new PartUnfitError(`segments have ${got.join(' ')} frames, and not ${wanted.join(' ')}`);
  }
}
