import { open, type FileHandle } from 'node:fs/promises';
import { findBox } from './mp4Codecs.js';

/** How much later a segment is than the muxer, which began with this part, believed it to be. */
export interface SegmentShift {
  ticks: bigint;
  fragments: number;
}

/** Nothing that our muxer writes before the media of four seconds comes near it. */
const MAX_HEAD_BYTES = 1024 * 1024;
const HEADER_BYTES = 8;

/** Ticks per second of the one track of an init segment. @throws where it has none. */
export function timescaleOf(init: Buffer): bigint {
  const mdhd = findBox(init, 'mdhd');
  if (mdhd === null) {
    throw new Error('The init segment holds no mdhd box.');
  }
  return BigInt(mdhd.readUInt32BE(mdhd[0] === 1 ? 20 : 12));
}

/**
 * Moves a segment to its place in the video, in the file: the number of its fragment, its decode time, and the earliest
 * presentation time of its index.
 * @throws where it is not one fragment as our muxer writes it.
 */
export async function shiftSegment(path: string, shift: SegmentShift): Promise<void> {
  const file = await open(path, 'r+');
  try {
    const { size } = await file.stat();
    let fragments = 0;
    for (let offset = 0; offset < size;) {
      const box = await readBox(file, offset);
      if (box.type === 'moof') {
        fragments += 1;
      }
      if (box.type === 'moof' || box.type === 'sidx') {
        await shiftBox(file, { ...box, offset }, shift);
      }
      offset += box.size;
    }
    if (fragments !== 1) {
      throw new Error(`A segment has ${fragments} fragments.`);
    }
  } finally {
    await file.close();
  }
}

async function readBox(file: FileHandle, offset: number): Promise<{ type: string; size: number }> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, offset);
  const size = buffer.readUInt32BE(0);
  if (bytesRead < HEADER_BYTES || size < HEADER_BYTES) {
    throw new Error('A segment is not made of boxes.');
  }
  return { type: buffer.toString('latin1', 4, 8), size };
}

async function shiftBox(
  file: FileHandle,
  { type, offset, size }: { type: string; offset: number; size: number },
  { ticks, fragments }: SegmentShift,
): Promise<void> {
  if (size > MAX_HEAD_BYTES) {
    throw new Error(`A segment has a ${type} of ${size} bytes.`);
  }
  const { buffer } = await file.read(Buffer.alloc(size), 0, size, offset);
  if (type === 'sidx') {
    // Version and flags, reference, timescale; then the time.
    addTicks(buffer.subarray(HEADER_BYTES), 12, ticks);
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

/** In a box whose first byte is its version: in 0 times have 32 bits, which a long video runs out of. */
function addTicks(content: Buffer, at: number, ticks: bigint): void {
  if (content[0] !== 1) {
    throw new Error('A fragment has a time of 32 bits.');
  }
  content.writeBigUInt64BE(content.readBigUInt64BE(at) + ticks, at);
}
