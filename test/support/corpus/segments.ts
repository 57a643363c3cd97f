/** The boxes of fragmented MP4 (ISO/IEC 14496-12), read by hand, independently of any player or encoder. */

export interface Box {
  readonly type: string;
  /** The content's start, from the beginning of the file. */
  readonly start: number;
  readonly end: number;
}

export function* boxesOf(bytes: Buffer, from = 0, to = bytes.length): Generator<Box> {
  for (let at = from; at < to;) {
    const size = bytes.readUInt32BE(at);
    if (size < 8 || at + size > to) throw new Error(`a box of ${size} bytes at ${at} does not fit`);
    yield { type: bytes.toString('latin1', at + 4, at + 8), start: at + 8, end: at + size };
    at += size;
  }
}

/** The first box at a path such as ['moov', 'trak', 'mdia']. */
export function findBox(bytes: Buffer, path: readonly string[], from = 0, to = bytes.length): Box | null {
  const [type, ...rest] = path;
  for (const box of boxesOf(bytes, from, to)) {
    if (box.type !== type) continue;
    return rest.length === 0 ? box : findBox(bytes, rest, box.start, box.end);
  }
  return null;
}

/** Ticks per second of the one track of an init segment. */
export function timescaleOf(init: Buffer): number {
  const { start } = needed(init, ['moov', 'trak', 'mdia', 'mdhd']);
  return init.readUInt32BE(start + (init[start] === 1 ? 20 : 12));
}

export function tracksOf(init: Buffer): number {
  const { start, end } = needed(init, ['moov']);
  return [...boxesOf(init, start, end)].filter(({ type }) => type === 'trak').length;
}

/** Whether the bytes are a fragment that ends within its media. */
export function isCutOff(bytes: Buffer): boolean {
  const moofBytes = bytes.length > 8 && bytes.toString('latin1', 4, 8) === 'moof' ? bytes.readUInt32BE(0) : 0;
  if (moofBytes === 0 || bytes.length <= moofBytes + 8) return false;
  const isMedia = bytes.toString('latin1', moofBytes + 4, moofBytes + 8) === 'mdat';
  return isMedia && moofBytes + bytes.readUInt32BE(moofBytes) >= bytes.length;
}

export interface SegmentTimes {
  /** The decode time of the first sample. All times are in ticks. */
  readonly decodeStart: number;
  readonly duration: number;
  readonly samples: number;
  /** The time of the sample shown first, and the end of the one shown last. */
  readonly presentationStart: number;
  readonly presentationEnd: number;
  /** Whether the first sample is a sync sample, which needs no other. */
  readonly startsWithSync: boolean;
}

const DEFAULT_BASE_FLAGS = { duration: 0x8, size: 0x10, flags: 0x20 };

/** The times of a media segment with one track, over all its fragments. */
export function timesOf(segment: Buffer): SegmentTimes {
  let decodeStart: number | null = null;
  let decodeAt = 0;
  let samples = 0;
  let startsWithSync = false;
  let presentationStart = Number.POSITIVE_INFINITY;
  let presentationEnd = Number.NEGATIVE_INFINITY;
  for (const moof of boxesOf(segment)) {
    if (moof.type !== 'moof') continue;
    for (const traf of boxesOf(segment, moof.start, moof.end)) {
      if (traf.type !== 'traf') continue;
      const tfdt = needed(segment, ['tfdt'], traf);
      const base =
        segment[tfdt.start] === 1
          ? Number(segment.readBigUInt64BE(tfdt.start + 4))
          : segment.readUInt32BE(tfdt.start + 4);
      if (decodeStart !== null && base !== decodeAt)
        throw new Error('fragments of one segment do not follow each other');
      decodeStart ??= base;
      decodeAt = base;
      const defaults = readDefaults(segment, needed(segment, ['tfhd'], traf));
      for (const trun of boxesOf(segment, traf.start, traf.end)) {
        if (trun.type !== 'trun') continue;
        for (const sample of samplesOf(segment, trun, defaults)) {
          if (samples === 0) startsWithSync = (sample.flags & 0x1_0000) === 0;
          presentationStart = Math.min(presentationStart, decodeAt + sample.offset);
          presentationEnd = Math.max(presentationEnd, decodeAt + sample.offset + sample.duration);
          decodeAt += sample.duration;
          samples += 1;
        }
      }
    }
  }
  if (decodeStart === null) throw new Error('a media segment without a fragment');
  const duration = decodeAt - decodeStart;
  return { decodeStart, duration, samples, presentationStart, presentationEnd, startsWithSync };
}

interface Defaults {
  duration: number;
  flags: number;
}

function readDefaults(bytes: Buffer, { start }: Box): Defaults {
  const flags = bytes.readUIntBE(start + 1, 3);
  let at = start + 8;
  if (flags & 0x1) at += 8;
  if (flags & 0x2) at += 4;
  const read = (flag: number): number => {
    if (!(flags & flag)) return 0;
    at += 4;
    return bytes.readUInt32BE(at - 4);
  };
  const duration = read(DEFAULT_BASE_FLAGS.duration);
  read(DEFAULT_BASE_FLAGS.size);
  return { duration, flags: read(DEFAULT_BASE_FLAGS.flags) };
}

function* samplesOf(
  bytes: Buffer,
  { start }: Box,
  defaults: Defaults,
): Generator<{ duration: number; flags: number; offset: number }> {
  const version = bytes[start];
  const flags = bytes.readUIntBE(start + 1, 3);
  const count = bytes.readUInt32BE(start + 4);
  let at = start + 8;
  if (flags & 0x1) at += 4;
  const firstFlags = flags & 0x4 ? bytes.readUInt32BE((at += 4) - 4) : null;
  for (let index = 0; index < count; index += 1) {
    const sample = { duration: defaults.duration, flags: defaults.flags, offset: 0 };
    if (flags & 0x100) sample.duration = bytes.readUInt32BE((at += 4) - 4);
    if (flags & 0x200) at += 4;
    if (flags & 0x400) sample.flags = bytes.readUInt32BE((at += 4) - 4);
    else if (index === 0 && firstFlags !== null) sample.flags = firstFlags;
    if (flags & 0x800) {
      at += 4;
      sample.offset = version === 0 ? bytes.readUInt32BE(at - 4) : bytes.readInt32BE(at - 4);
    }
    yield sample;
  }
}

function needed(bytes: Buffer, path: readonly string[], within: Box | null = null): Box {
  const box = within ? findBox(bytes, path, within.start, within.end) : findBox(bytes, path);
  if (!box) throw new Error(`no ${path.join('/')} box`);
  return box;
}
