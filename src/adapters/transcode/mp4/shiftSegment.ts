import { open, type FileHandle } from 'node:fs/promises';
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
const HEADER_BYTES = 8;

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

/** For a box whose first byte is its version: version 0 has 32-bit times, which overflow in a long video. */
function addTicks(content: Buffer, at: number, ticks: bigint): void {
  if (content[0] !== 1) {
    throw new Error('A fragment has a time of 32 bits.');
  }
  content.writeBigUInt64BE(content.readBigUInt64BE(at) + ticks, at);
}
