import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassthroughUnfitError, MAX_SEGMENT_SECONDS, type PassthroughCut } from '../../../ports/packets.js';
import type { EncodedRendition, EncodeRequest, FrameRate } from '../../../ports/transcoder.js';
import { readSegment, type SegmentFacts } from '../mp4/fragments.js';
import { findBox } from '../mp4/mp4Codecs.js';
import { timescaleOf } from '../mp4/shiftSegment.js';

const IDR_SLICE = 5;

/**
 * Compares the output with the request: a passthrough picture by itself, encoded pictures with given boundaries.
 * @returns the boundaries of a passthrough picture, for the request of the other renditions
 * @throws PassthroughUnfitError
 */
export async function boundariesOf(
  { outputDir, renditions, packets, boundaries }: EncodeRequest,
  encoded: readonly EncodedRendition[],
): Promise<readonly number[] | null> {
  let passed: readonly number[] | null = null;
  for (const [index, rendition] of encoded.entries()) {
    const wanted = renditions[index];
    if (wanted === undefined || wanted.quality === 'audio') continue;
    if (wanted.passthrough === true && packets) passed = await boundariesOfPassthrough(outputDir, rendition, packets);
    else if (boundaries) await assertBoundaries(outputDir, rendition, boundaries);
  }
  return passed;
}

/**
 * Where the segments of a passthrough rendition begin, in whole milliseconds, as written.
 *
 * Players switch renditions only there. So each segment must begin with a frame that is on the grid of the frame rate,
 * is shown first, refers to nothing before it, and can be decoded with the init segment alone. No segment may be too
 * long.
 * @throws PassthroughUnfitError
 */
async function boundariesOfPassthrough(
  outputDir: string,
  rendition: EncodedRendition,
  packets: PassthroughCut,
): Promise<number[]> {
  const written = await readWritten(outputDir, rendition, { units: true });
  const { sets, frameRate } = written;
  const boundariesMs: number[] = [];
  let frames = 0;
  for await (const segment of written.segments()) {
    assertOnGrid(written, segment, frames);
    const [first, ...others] = segment.keyUnits;
    if (!first?.some(({ type }) => type === IDR_SLICE))
      throw new PassthroughUnfitError('a segment begins with no IDR frame');
    for (const unit of [first, ...others].flat()) {
      if (unit.bytes && !sets.has(unit.bytes.toString('base64'))) {
        throw new PassthroughUnfitError('the parameters of the picture change on the way');
      }
    }
    const begin = secondsOf(frames, frameRate);
    boundariesMs.push(Math.round(begin * 1_000));
    frames += segment.samples;
    if (secondsOf(frames, frameRate) - begin > MAX_SEGMENT_SECONDS + secondsOf(1, frameRate)) {
      throw new PassthroughUnfitError('a segment is too long');
    }
  }
  if (frames !== packets.frames) {
    throw new PassthroughUnfitError(`${frames} of ${packets.frames} frames were written`);
  }
  return boundariesMs;
}

/**
 * Compares an encoded rendition with the boundaries of the passthrough.
 * @throws PassthroughUnfitError if a segment begins elsewhere
 */
async function assertBoundaries(
  outputDir: string,
  rendition: EncodedRendition,
  boundariesMs: readonly number[],
): Promise<void> {
  const written = await readWritten(outputDir, rendition, { units: false });
  if (rendition.segmentPaths.length !== boundariesMs.length) {
    throw new PassthroughUnfitError(
      `${rendition.quality} has ${rendition.segmentPaths.length} segments, not ${boundariesMs.length}`,
    );
  }
  let index = 0;
  for await (const segment of written.segments()) {
    const frame = Math.round(boundariesMs[index]! / 1_000 / secondsOf(1, written.frameRate));
    assertOnGrid(written, segment, frame);
    index += 1;
  }
}

interface Written {
  frameRate: FrameRate;
  ticksPerSecond: number;
  /** The presentation delay of a frame that is shown at once, after decoding. */
  leadTicks: number;
  /** The parameter sets in the init segment. */
  sets: ReadonlySet<string>;
  segments: () => AsyncGenerator<SegmentFacts>;
}

async function readWritten(
  outputDir: string,
  rendition: EncodedRendition,
  { units }: { units: boolean },
): Promise<Written> {
  const init = await readFile(join(outputDir, rendition.initPath));
  const avcC = findBox(init, 'avcC');
  if (avcC === null || rendition.frameRate === null)
    throw new PassthroughUnfitError('the init segment describes no H.264');
  const lengthBytes = units ? (avcC[4]! & 3) + 1 : null;
  return {
    frameRate: rendition.frameRate,
    ticksPerSecond: Number(timescaleOf(init)),
    leadTicks: leadTicksOf(init),
    sets: parameterSets(avcC),
    async *segments() {
      for (const path of rendition.segmentPaths) yield readSegment(join(outputDir, path), { lengthBytes });
    },
  };
}

/** Half a frame is more than rounding, and less than eyes or player buffers notice. */
function assertOnGrid(written: Written, { startTicks, firstOffsetTicks }: SegmentFacts, frame: number): void {
  const { frameRate, ticksPerSecond, leadTicks } = written;
  const frameSeconds = secondsOf(1, frameRate);
  const decodeError = startTicks / ticksPerSecond - frame * frameSeconds;
  const shownError = decodeError + (firstOffsetTicks - leadTicks) / ticksPerSecond;
  if (Math.max(Math.abs(decodeError), Math.abs(shownError)) > frameSeconds / 2) {
    throw new PassthroughUnfitError(`a segment that should begin at frame ${frame} is ${shownError} s off`);
  }
}

/** What the track's single edit subtracts from all times. */
function leadTicksOf(init: Buffer): number {
  const elst = findBox(init, 'elst');
  if (elst === null) return 0;
  if (elst.readUInt32BE(4) !== 1) throw new PassthroughUnfitError('the track does not begin at its beginning');
  return elst[0] === 1 ? Number(elst.readBigInt64BE(16)) : elst.readInt32BE(12);
}

/** Parameter sets of an avcC box: SPS, then PPS, each preceded by its length. */
function parameterSets(avcC: Buffer): Set<string> {
  const sets = new Set<string>();
  let at = 5;
  for (const mask of [0x1f, 0xff]) {
    const count = avcC[at++]! & mask;
    for (let index = 0; index < count; index += 1) {
      const length = avcC.readUInt16BE(at);
      sets.add(avcC.toString('base64', at + 2, at + 2 + length));
      at += 2 + length;
    }
  }
  return sets;
}

function secondsOf(frames: number, { numerator, denominator }: FrameRate): number {
  return (frames * denominator) / numerator;
}
