import { open, type FileHandle } from 'node:fs/promises';
import { BOX_HEADER_BYTES, boxesOf, type BoxPlace } from './boxes.js';
import { findBox } from './mp4Codecs.js';

/**
 * The distance between a segment's place in the video and its place in the chunk, where the muxer counted from zero.
 */
export interface SegmentShift {
  ticks: bigint;
  fragments: number;
}

/** Far more than our muxer writes before four seconds of media. */
const MAX_HEAD_BYTES = 1024 * 1024;

/** Ticks per second of an init segment's only track. @throws if it has none */
export function timescaleOf(init: Buffer): bigint {
  const mdhd = findBox(init, 'mdhd');
  if (mdhd === null) {
    throw new Error('The init segment holds no mdhd box.');
  }
  return BigInt(mdhd.readUInt32BE(mdhd[0] === 1 ? 20 : 12));
}

/**
 * Moves a segment to its place in the video by editing the file: its fragment number, its decode time, and the earliest
 * presentation time of its index.
 * @throws unless it is one fragment as our muxer writes it
 */
export async function shiftSegment(path: string, shift: SegmentShift): Promise<void> {
  const file = await open(path, 'r+');
  try {
    let fragments = 0;
    for await (const box of boxesOf(file)) {
      if (box.type === 'moof') {
        fragments += 1;
      }
      if (box.type === 'moof' || box.type === 'sidx') {
        await shiftBox(file, box, shift);
      }
    }
    if (fragments !== 1) {
      throw new Error(`A segment has ${fragments} fragments.`);
    }
  } finally {
    await file.close();
  }
}

async function shiftBox(
  file: FileHandle,
  { type, offset, size }: BoxPlace,
  { ticks, fragments }: SegmentShift,
): Promise<void> {
  if (size > MAX_HEAD_BYTES) {
    throw new Error(`A segment has a ${type} of ${size} bytes.`);
  }
  const { buffer } = await file.read(Buffer.alloc(size), 0, size, offset);
  if (type === 'sidx') {
    // Version and flags, reference, timescale; then the time.
    addTicks(buffer.subarray(BOX_HEADER_BYTES), 12, ticks);
  } else {
    const mfhd = findBox(buffer, 'mfhd');
    const tfdt = findBox(buffer, 'tfdt');
    if (mfhd === null || tfdt === null) {
      throw new Error('A fragment has no number or no time.');
    }
    mfhd.writeUInt32BE(mfhd.readUInt32BE(4) + fragments, 4);
    addTicks(tfdt, 4, ticks);
  }
  await file.write(buffer, 0, size, offset);
}

/** For a box whose first byte is its version: version 0 has 32-bit times, which overflow in a long video. */
function addTicks(content: Buffer, at: number, ticks: bigint): void {
  if (content[0] !== 1) {
    throw new Error('A fragment has a time of 32 bits.');
  }
  content.writeBigUInt64BE(content.readBigUInt64BE(at) + ticks, at);
}
