import { open, type FileHandle } from 'node:fs/promises';
import { PassthroughUnfitError } from '../../../ports/packets.js';
import type { ByteSpan } from '../../../ports/transcoder.js';
import { BOX_HEADER_BYTES, boxesOf } from './boxes.js';
import { findBox } from './mp4Codecs.js';

/** Facts of a segment from its own boxes, in ticks of its track. */
export interface SegmentFacts {
  startTicks: number;
  durationTicks: number;
  samples: number;
  /** How much later its first sample is shown than decoded. */
  firstOffsetTicks: number;
  /** NAL units of samples that a decoder may start with: type, and for parameter sets the bytes. */
  keyUnits: readonly (readonly NalUnit[])[];
}

export interface NalUnit {
  type: number;
  /** Null except for parameter sets. */
  bytes: Buffer | null;
}

const SEQUENCE_SET = 7;
const PICTURE_SET = 8;
/** Real parameter sets are smaller; a greater length is nonsense. */
const MAX_SET_BYTES = 4_096;
const MAX_UNITS = 2_000;
/** Six seconds at sixty frames are 360 samples of 16 bytes. */
const MAX_MOOF_BYTES = 1_000_000;
const NOT_SYNC = 0x1_0000;

/** Reads a segment written by our own ffmpeg: fragments of one `moof` and its `mdat` each. @throws if it is anything else */
export async function readSegment(
  path: string,
  { lengthBytes }: { lengthBytes: number | null },
): Promise<SegmentFacts> {
  const file = await open(path, 'r');
  try {
    let first: Run | null = null;
    let durationTicks = 0;
    let samples = 0;
    const keyUnits: NalUnit[][] = [];
    for await (const { offset, run } of fragmentsOf(file)) {
      first ??= run;
      let position = offset + run.dataOffset;
      for (const sample of run.samples) {
        if (lengthBytes !== null && isKey(sample)) {
          keyUnits.push(await unitsOf(file, { position, sizeBytes: sample.sizeBytes, lengthBytes }));
        }
        position += sample.sizeBytes;
      }
      durationTicks += ticksOf(run);
      samples += run.samples.length;
    }
    if (first === null) throw new PassthroughUnfitError('a segment holds no moof box');
    const { startTicks } = first;
    return { startTicks, durationTicks, samples, firstOffsetTicks: first.samples[0]?.offsetTicks ?? 0, keyUnits };
  } finally {
    await file.close();
  }
}

/** Where the first frame of a fragment is, and for how long the fragment is shown. */
export interface KeyFrame extends ByteSpan {
  durationTicks: number;
}

/**
 * The first frame of each fragment of a segment: its `moof`, and the `mdat` up to the end of that frame. With the init
 * segment, it can be decoded by itself.
 */
export async function readKeyFrames(path: string): Promise<KeyFrame[]> {
  const file = await open(path, 'r');
  try {
    const found: KeyFrame[] = [];
    for await (const { offset, run } of fragmentsOf(file)) {
      const [first] = run.samples;
      if (first === undefined || !isKey(first)) {
        throw new PassthroughUnfitError('a fragment does not begin with a keyframe');
      }
      found.push({ offset, sizeBytes: run.dataOffset + first.sizeBytes, durationTicks: ticksOf(run) });
    }
    return found;
  } finally {
    await file.close();
  }
}

async function* fragmentsOf(file: FileHandle): AsyncGenerator<{ offset: number; run: Run }> {
  for await (const { type, offset, size } of boxesOf(file)) {
    if (type !== 'moof') continue;
    if (size > MAX_MOOF_BYTES) throw new PassthroughUnfitError(`a moof box has ${size} bytes`);
    const content = Buffer.alloc(size - BOX_HEADER_BYTES);
    await file.read(content, 0, content.length, offset + BOX_HEADER_BYTES);
    yield { offset, run: readRun(content) };
  }
}

function isKey({ flags }: Sample): boolean {
  return (flags & NOT_SYNC) === 0;
}

function ticksOf({ samples }: Run): number {
  return samples.reduce((sum, { durationTicks }) => sum + durationTicks, 0);
}

interface Sample {
  durationTicks: number;
  sizeBytes: number;
  flags: number;
  offsetTicks: number;
}

interface Run {
  startTicks: number;
  /** Offset of the first sample's data from the beginning of the moof. */
  dataOffset: number;
  samples: Sample[];
}

/** `tfhd` has the defaults of all samples, `trun` the values of each. */
function readRun(moof: Buffer): Run {
  const traf = boxIn(moof, 'traf');
  const tfdt = boxIn(traf, 'tfdt');
  const startTicks = tfdt[0] === 1 ? Number(tfdt.readBigUInt64BE(4)) : tfdt.readUInt32BE(4);
  if (traf.indexOf('trun') !== traf.lastIndexOf('trun')) {
    throw new PassthroughUnfitError('a segment has more than one run of samples');
  }
  const common = readDefaults(boxIn(traf, 'tfhd'));
  const trun = new Fields(boxIn(traf, 'trun'));
  const isSigned = trun.u32() >>> 24 === 1;
  const has = trun.flags;
  const count = trun.u32();
  const dataOffset = has & 0x1 ? trun.i32() : 0;
  const firstFlags = has & 0x4 ? trun.u32() : null;
  const samples = Array.from({ length: count }, (_, index): Sample => {
    const durationTicks = has & 0x100 ? trun.u32() : common.durationTicks;
    const sizeBytes = has & 0x200 ? trun.u32() : common.sizeBytes;
    const flags = has & 0x400 ? trun.u32() : index === 0 && firstFlags !== null ? firstFlags : common.flags;
    const offsetTicks = has & 0x800 ? (isSigned ? trun.i32() : trun.u32()) : 0;
    return { durationTicks, sizeBytes, flags, offsetTicks };
  });
  return { startTicks, dataOffset, samples };
}

function readDefaults(tfhd: Buffer): Pick<Sample, 'durationTicks' | 'sizeBytes' | 'flags'> {
  const fields = new Fields(tfhd);
  fields.u32();
  const has = fields.flags;
  fields.u32();
  if (has & 0x1) fields.skip(8);
  if (has & 0x2) fields.skip(4);
  return {
    durationTicks: has & 0x8 ? fields.u32() : 0,
    sizeBytes: has & 0x10 ? fields.u32() : 0,
    flags: has & 0x20 ? fields.u32() : 0,
  };
}

/** Reads a full box from its beginning. */
class Fields {
  readonly flags: number;
  private at = 0;

  constructor(private readonly bytes: Buffer) {
    this.flags = bytes.readUIntBE(1, 3);
  }

  u32(): number {
    return this.bytes.readUInt32BE((this.at += 4) - 4);
  }

  i32(): number {
    return this.bytes.readInt32BE((this.at += 4) - 4);
  }

  skip(bytes: number): void {
    this.at += bytes;
  }
}

async function unitsOf(
  file: FileHandle,
  { position, sizeBytes, lengthBytes }: { position: number; sizeBytes: number; lengthBytes: number },
): Promise<NalUnit[]> {
  const units: NalUnit[] = [];
  const head = Buffer.alloc(lengthBytes + 1);
  for (let at = 0; at + head.length <= sizeBytes;) {
    await file.read(head, 0, head.length, position + at);
    const length = head.readUIntBE(0, lengthBytes);
    const type = head[lengthBytes]! & 0x1f;
    const isSet = type === SEQUENCE_SET || type === PICTURE_SET;
    if (length === 0 || at + lengthBytes + length > sizeBytes || (isSet && length > MAX_SET_BYTES)) {
      throw new PassthroughUnfitError('a sample is not made of NAL units');
    }
    const bytes = isSet ? Buffer.alloc(length) : null;
    if (bytes) await file.read(bytes, 0, length, position + at + lengthBytes);
    if (units.push({ type, bytes }) > MAX_UNITS) throw new PassthroughUnfitError('a sample has too many NAL units');
    at += lengthBytes + length;
  }
  return units;
}

function boxIn(bytes: Buffer, type: string): Buffer {
  const content = findBox(bytes, type);
  if (content === null) throw new PassthroughUnfitError(`there is no ${type} box`);
  return content;
}
