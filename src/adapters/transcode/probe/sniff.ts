import { open } from 'node:fs/promises';
import type { Container } from '../../../ports/transcoder.js';
import { UnusableSourceError } from '../../../ports/transcoder.js';

const HEAD_BYTES = 4096;
/** Cover art in an ID3 tag takes a few megabytes; a larger tag is not genuine. */
const MAX_ID3_BYTES = 64 * 1024 * 1024;
/** HEIC and AVIF: pictures in MP4's boxes. */
const PICTURE_BRANDS = new Set(['heic', 'heix', 'mif1', 'avif']);
const ASF_HEADER = Buffer.from('3026b2758e66cf11a6d900aa0062ce6c', 'hex');
/** The key of a header partition. Its last bytes tell open from closed and the version. */
const MXF_PARTITION = Buffer.from('060e2b34020501010d01020101', 'hex');
const MP4_FIRST_BOXES = new Set(['ftyp', 'moov', 'mdat', 'free', 'skip', 'wide', 'pnot', 'styp']);

interface Sniffed {
  /** Null if the format is not accepted. */
  readonly container: Container | null;
  readonly sizeBytes: number;
  readonly head: Buffer;
}

/**
 * Detects the container by its first bytes, never by its name.
 *
 * The result pins ffmpeg's demuxer. ffmpeg's own detection would open playlists (HLS, DASH, concat, SDP), and those
 * open other files and addresses.
 */
export async function sniffContainer(sourcePath: string): Promise<Sniffed> {
  const file = await open(sourcePath, 'r');
  try {
    const { size } = await file.stat();
    if (size === 0) {
      throw new UnusableSourceError('EMPTY_FILE', 'The file is empty.');
    }
    const readAt = async (position: number): Promise<Buffer> => {
      const buffer = Buffer.alloc(HEAD_BYTES);
      const { bytesRead } = await file.read(buffer, 0, HEAD_BYTES, position);
      return buffer.subarray(0, bytesRead);
    };
    const head = await readAt(0);
    const tagBytes = id3Bytes(head);
    const container = tagBytes === null ? containerOf(head) : (containerOf(await readAt(tagBytes)) ?? 'mp3');
    return { container, sizeBytes: size, head };
  } finally {
    await file.close();
  }
}

/** The container whose signature `head` starts with, or null. */
export function containerOf(head: Buffer): Container | null {
  if (MP4_FIRST_BOXES.has(ascii(head, 4, 8))) {
    return ascii(head, 4, 8) === 'ftyp' && PICTURE_BRANDS.has(ascii(head, 8, 12)) ? null : 'mp4';
  }
  if (head.subarray(0, 4).equals(Buffer.from([0x1a, 0x45, 0xdf, 0xa3]))) {
    return 'matroska';
  }
  if (head.subarray(0, ASF_HEADER.length).equals(ASF_HEADER)) {
    return 'asf';
  }
  if (head.subarray(0, MXF_PARTITION.length).equals(MXF_PARTITION)) {
    return 'mxf';
  }
  if (isProgramStream(head)) {
    return 'mpegps';
  }
  if (isDv(head)) {
    return 'dv';
  }
  const form = ascii(head, 8, 12);
  switch (ascii(head, 0, 4)) {
    case 'RIFF':
    case 'RF64':
      return form === 'WAVE' ? 'wav' : form === 'AVI ' ? 'avi' : null;
    case 'OggS':
      return 'ogg';
    case 'fLaC':
      return 'flac';
    case 'FLV\x01':
      return 'flv';
    case 'GIF8':
      return /^[79]a$/.test(ascii(head, 4, 6)) ? 'gif' : null;
  }
  if (isTransportStream(head)) {
    return 'mpegts';
  }
  // MP3 and ADTS both start with eleven or twelve set bits and a header; ADTS has layer bits of zero.
  if (head[0] === 0xff && head[1] !== undefined && (head[1] & 0xe0) === 0xe0) {
    return (head[1] & 0xf6) === 0xf0 ? 'aac' : (head[1] & 0x06) === 0 ? null : 'mp3';
  }
  return null;
}

/** A pack header, of MPEG-2 or MPEG-1. */
function isProgramStream(head: Buffer): boolean {
  const version = head[4] ?? 0;
  return (
    head.subarray(0, 4).equals(Buffer.from('000001ba', 'hex')) &&
    ((version & 0xc4) === 0x44 || (version & 0xf1) === 0x21)
  );
}

/** The header block of a frame's first sequence, and the subcode block that follows it. */
function isDv(head: Buffer): boolean {
  const starts = (at: number, type: number): boolean =>
    head[at] === type && head[at + 1] === 0x07 && head[at + 2] === 0;
  return starts(0, 0x1f) && ((head[3] ?? 0) & 0x7f) === 0x3f && starts(80, 0x3f);
}

/** Packets of 188 bytes, of 192 with a leading time code (Blu-ray), or of 204 with parity. */
function isTransportStream(head: Buffer): boolean {
  return [
    [0, 188],
    [4, 192],
    [0, 204],
  ].some(([offset = 0, packet = 188]) =>
    [0, 1, 2].every((index) => {
      const position = offset + index * packet;
      // A short file has fewer packets. A single one is not enough evidence, because 0x47 is also the letter G.
      return head[position] === 0x47 || (index === 2 && position >= head.length);
    }),
  );
}

/** The length of an ID3v2 tag at the start, or null if there is none. */
function id3Bytes(head: Buffer): number | null {
  if (ascii(head, 0, 3) !== 'ID3' || head.length < 10) {
    return null;
  }
  const size = [6, 7, 8, 9].reduce((sum, index) => sum * 128 + ((head[index] ?? 0) & 0x7f), 0);
  return size > MAX_ID3_BYTES ? null : size + 10;
}

function ascii(head: Buffer, start: number, end: number): string {
  return head.toString('latin1', start, end);
}
