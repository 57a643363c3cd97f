import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { constants, deflateRawSync, deflateSync } from 'node:zlib';

import { png } from '../../../support/branding/logos.js';
import { IS_FULL } from '../../../support/effort.js';
import { ffmpeg } from '../../../support/media.js';
import { box, find, fullBox, readBoxes, writeBoxes } from '../boxes.js';
import type { HostileFile, Materials } from './hostileFile.js';
import { element } from './references.js';

const MIB = 1024 ** 2;
const GIB_IN_MIB = 1024;
/**
 * With four channels of 16 bits: two gigabytes, and the largest size that ffmpeg's decoders do not refuse by
 * themselves.
 */
const LARGE_SIDE = 16_000;
const HUGE_SIDE = 65_500;
/** The number of laces in a block is one byte. */
const FRAMES_IN_A_BLOCK = 256;
/** bzip2 of 20,000,000 zeros. */
const BZIP2_FRAME = Buffer.from(
  '425a6839314159265359bfcaafc400992fc200c00000080008200030cc0529a6aa91146c0288a3c5dc914e14242ff2abf100',
  'hex',
);
const [ZLIB, BZIP2] = [0, 1];

/** Files that use as much time and memory as they are allowed. */
const PATIENT: readonly HostileFile[] = [
  {
    name: 'a video whose index inflates to a gigabyte',
    make: ({ good }) => indexed(good.mp4, (index) => compressedIndex(GIB_IN_MIB, roomy(index))),
  },
  {
    name: 'an index in an index in an index of a gigabyte',
    make: ({ good }) =>
      indexed(good.mp4, (index) => compressedIndex(0, compressedIndex(0, compressedIndex(GIB_IN_MIB, roomy(index))))),
  },
  {
    name: 'a block of bzip2 whose frames inflate to gigabytes',
    make: () => matroska({ compression: BZIP2, frames: laced(BZIP2_FRAME) }),
    ends: 'failed',
  },
  {
    name: 'an index of a hundred indexes that inflate to a gigabyte each',
    make: ({ good }) =>
      indexed(good.mp4, () => {
        const one = compressed(GIB_IN_MIB);
        return compressedIndex(0, box('moov', Buffer.concat(Array.from({ length: 100 }, () => one))));
      }),
    ends: 'failed',
  },
  {
    name: 'a thousand blocks that inflate to a gigabyte each',
    make: () => matroska({ compression: BZIP2, frames: laced(BZIP2_FRAME, 60), blocks: 1_000 }),
    ends: 'failed',
  },
];

/** Small files that inflate to gigabytes: indexes, frames, pictures and covers. */
export const INFLATION: readonly HostileFile[] = [
  {
    name: 'an index that inflates to a gigabyte of nothing',
    make: () => Buffer.concat([box('ftyp', Buffer.from('qt  \0\0\0\0qt  ')), compressedIndex(GIB_IN_MIB)]),
    ends: 'failed',
  },
  {
    name: 'a frame that inflates to a gigabyte',
    make: () => matroska({ compression: ZLIB, frames: [zeros(GIB_IN_MIB)], durationMs: 1_000 }),
    ends: 'failed',
  },
  {
    name: 'a block of zlib whose frames inflate to gigabytes',
    make: () => matroska({ compression: ZLIB, frames: laced(zlibFrame(), 100), durationMs: 1_000 }),
    ends: 'failed',
  },
  ...[LARGE_SIDE, HUGE_SIDE].flatMap((side): HostileFile[] => [
    { name: `a video of one picture of ${side}²`, make: (materials) => pictureVideo(materials, side), ends: 'failed' },
    { name: `an MP3 with a cover of ${side}²`, make: (materials) => coveredMp3(materials, side), ends: 'ready' },
    { name: `an M4A with a cover of ${side}²`, make: (materials) => coveredM4a(materials, side), ends: 'ready' },
    { name: `a FLAC with a cover of ${side}²`, make: (materials) => coveredFlac(materials, side), ends: 'ready' },
  ]),
  ...(IS_FULL ? PATIENT : []),
];

/** A zlib stream of `head` and this many MiB of zeros: made quickly, and a thousandth the size of its content. */
function zeros(mebibytes: number, head: Buffer = Buffer.alloc(0)): Buffer {
  const options = { level: 9, finishFlush: constants.Z_FULL_FLUSH };
  const some = deflateRawSync(Buffer.alloc(MIB), options);
  const sum = deflateSync(head).subarray(-4).readUInt32BE();
  const [low, high] = [sum & 0xffff, ((sum >>> 16) + (sum & 0xffff) * mebibytes * MIB) % 65_521];
  return Buffer.concat([
    Buffer.from('78da', 'hex'),
    deflateRawSync(head, options),
    ...Array.from({ length: mebibytes }, () => some),
    Buffer.from('0300', 'hex'),
    uint32(high * 0x1_0000 + low),
  ]);
}

function compressed(mebibytes: number, head: Buffer = Buffer.alloc(0)): Buffer {
  const size = uint32(head.length + mebibytes * MIB);
  const content = Buffer.concat([size, zeros(mebibytes, head)]);
  return box('cmov', Buffer.concat([box('dcom', Buffer.from('zlib')), box('cmvd', content)]));
}

/** In QuickTime's format. */
function compressedIndex(mebibytes: number, head?: Buffer): Buffer {
  return box('moov', compressed(mebibytes, head));
}

/** The index, and the header of an empty box that is as long as what follows. */
function roomy(index: Buffer): Buffer {
  return Buffer.concat([index, uint32(8 + GIB_IN_MIB * MIB), Buffer.from('free')]);
}

/** Its index is at the end, so it can grow. */
function indexed(mp4: Buffer, toIndex: (index: Buffer) => Buffer): Buffer {
  const boxes = readBoxes(mp4);
  const isIndex = ({ type }: { type: string }): boolean => type === 'moov';
  const index = writeBoxes(boxes.filter(isIndex));
  return Buffer.concat([writeBoxes(boxes.filter((one) => !isIndex(one))), toIndex(index)]);
}

/** A frame that ffmpeg inflates: it gives up at ten million bytes, and up to a third of its last try may be full. */
function zlibFrame(): Buffer {
  const inflating = zeros(13);
  return Buffer.concat([inflating, Buffer.alloc(13_700 - inflating.length)]);
}

function laced(frame: Buffer, count = FRAMES_IN_A_BLOCK): Buffer[] {
  return Array.from({ length: count }, () => frame);
}

interface Blocks {
  compression: number;
  /** The frames of one block, all of one size. */
  frames: readonly Buffer[];
  blocks?: number;
  /** Without it, the whole file has to be read. */
  durationMs?: number;
}

/** A video track whose frames are invalid, whatever they inflate to. */
function matroska({ compression, frames, blocks = 1, durationMs }: Blocks): Buffer {
  const number = (id: string, value: number): Buffer => element(id, Buffer.from([value]));
  const group = (id: string, ...parts: Buffer[]): Buffer => element(id, Buffer.concat(parts));
  const length = Buffer.alloc(8);
  length.writeDoubleBE(durationMs ?? 0);
  const track = group(
    'ae',
    Buffer.concat([number('d7', 1), number('73c5', 1), number('83', 1), element('86', Buffer.from('V_MJPEG'))]),
    group('e0', number('b0', 64), number('ba', 64)),
    group('6d80', group('6240', group('5034', number('4254', compression)))),
  );
  const lacing = frames.length === 1 ? [0x80] : [0x84, frames.length - 1];
  const block = element('a3', Buffer.concat([Buffer.from([0x81, 0, 0, ...lacing]), ...frames]));
  return Buffer.concat([
    group('1a45dfa3', element('4282', Buffer.from('matroska'))),
    group(
      '18538067',
      group(
        '1549a966',
        element('2ad7b1', Buffer.from('0f4240', 'hex')),
        ...(durationMs === undefined ? [] : [element('4489', length)]),
      ),
      group('1654ae6b', track),
      group('1f43b675', number('e7', 0), ...Array.from({ length: blocks }, () => block)),
    ),
  ]);
}

/** Transparent black; larger pictures contain only the beginning. */
function picture(side: number): Buffer {
  const bytes = side * (1 + side * 8);
  return png(side, side, zeros(side > LARGE_SIDE ? 1 : Math.ceil(bytes / MIB)), { depth: 16, color: 6 });
}

async function pictureVideo({ folder }: Materials, side: number): Promise<Buffer> {
  const path = join(folder, 'picture.mov');
  await ffmpeg('-f', 'lavfi', '-i', 'color=black:size=16x16:rate=1:duration=1', '-c:v', 'png', path);
  const boxes = readBoxes(await readFile(path));
  const content = picture(side);
  for (const found of find(boxes, 'mdat')) found.body = content;
  for (const { body } of find(boxes, 'stsz')) body.writeUInt32BE(content.length, 4);
  for (const { body } of find(boxes, 'stsd')) {
    const entry = body.indexOf('png ');
    body.writeUInt16BE(side, entry + 28);
    body.writeUInt16BE(side, entry + 30);
  }
  return writeBoxes(boxes);
}

async function coveredMp3(materials: Materials, side: number): Promise<Buffer> {
  const content = Buffer.concat([Buffer.from('\0image/png\0\x03\0', 'latin1'), picture(side)]);
  const frame = Buffer.concat([Buffer.from('APIC'), uint32(content.length), Buffer.alloc(2), content]);
  const sizes = [21, 14, 7, 0].map((shift) => (frame.length >> shift) & 0x7f);
  const head = Buffer.from([0x49, 0x44, 0x33, 3, 0, 0, ...sizes]);
  return Buffer.concat([head, frame, await sound(materials, 'sound.mp3')]);
}

async function coveredM4a(materials: Materials, side: number): Promise<Buffer> {
  const boxes = readBoxes(await sound(materials, 'sound.m4a'));
  const [index] = find(boxes, 'moov');
  const data = box('data', Buffer.concat([uint32(14), uint32(0), picture(side)]));
  const handler = fullBox('hdlr', 0, Buffer.from('\0\0\0\0mdirappl\0\0\0\0\0\0\0\0\0'));
  const body = fullBox('meta', 0, Buffer.concat([handler, box('ilst', box('covr', data))]));
  index!.children!.push({ type: 'udta', children: null, body });
  return writeBoxes(boxes);
}

/** The cover becomes the second block of the metadata before the sound. */
async function coveredFlac(materials: Materials, side: number): Promise<Buffer> {
  const [content, flac] = [picture(side), await sound(materials, 'sound.flac')];
  const [front, type] = [uint32(3), Buffer.from('image/png')];
  const size = [side, side, 64, 0].map(uint32);
  const parts = [front, uint32(type.length), type, uint32(0), ...size, uint32(content.length), content];
  const body = Buffer.concat(parts);
  const firstEnds = 8 + flac.readUIntBE(5, 3);
  const head = uint32(body.length);
  head[0] = 6;
  return Buffer.concat([flac.subarray(0, firstEnds), head, body, flac.subarray(firstEnds)]);
}

async function sound({ folder, good }: Materials, name: string): Promise<Buffer> {
  const path = join(folder, name);
  await ffmpeg('-i', good.mp4Path, '-vn', '-map_metadata', '-1', '-bitexact', path);
  return readFile(path);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
