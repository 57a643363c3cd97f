import { open } from 'node:fs/promises';
import type { Container } from '../../../ports/transcoder.js';
import { UnusableSourceError } from '../../../ports/transcoder.js';

const HEAD_BYTES = 4096;
/** Cover art in an ID3 tag takes a few megabytes; a larger tag is not genuine. */
const MAX_ID3_BYTES = 64 * 1024 * 1024;
const MP4_FIRST_BOXES = new Set(['ftyp', 'moov', 'mdat', 'free', 'skip', 'wide', 'pnot', 'styp']);

/**
 * Detects the container by its first bytes, never by its name.
 *
 * The result pins ffmpeg's demuxer. ffmpeg's own detection would open playlists (HLS, DASH, concat, SDP), and those
 * open other files and addresses.
 */
export async function sniffContainer(sourcePath: string): Promise<{ container: Container; sizeBytes: number }> {
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
    if (container === null) {
      throw refusal(head);
    }
    return { container, sizeBytes: size };
  } finally {
    await file.close();
  }
}

/** The container whose signature `head` starts with, or null. */
export function containerOf(head: Buffer): Container | null {
  if (MP4_FIRST_BOXES.has(ascii(head, 4, 8))) {
    return 'mp4';
  }
  if (head.subarray(0, 4).equals(Buffer.from([0x1a, 0x45, 0xdf, 0xa3]))) {
    return 'matroska';
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

function refusal(head: Buffer): UnusableSourceError {
  const text = head.toString('latin1').trimStart();
  if (/^(#EXTM3U|ffconcat|<\?xml[^>]*\?>\s*<MPD|<MPD|v=0\r?\n|\[playlist\])/i.test(text)) {
    return new UnusableSourceError(
      'PLAYLIST',
      'This is a playlist, not a video: it only points at other files. Upload the video itself.',
    );
  }
  return new UnusableSourceError(
    'NOT_MEDIA',
    'This is not a video or audio file that can be read here. MP4, MOV, MKV, WebM, MPEG-TS, AVI, MP3, AAC, WAV, FLAC and Ogg can be.',
  );
}

function ascii(head: Buffer, start: number, end: number): string {
  return head.toString('latin1', start, end);
}
