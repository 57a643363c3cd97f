import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { IS_FULL } from '../../../support/effort.js';
import { ffmpeg } from '../../../support/media.js';
import { find, readBoxes, writeBoxes } from '../boxes.js';
import type { HostileFile, Materials } from './hostileFile.js';

const SOF = Buffer.from('ffc0', 'hex');
/** Ten times the limit: more costs more, and shows the same. */
const CHAPTERS = IS_FULL ? 100_000 : 10_000;
/** As text, they are longer than the limit for one track. */
const SUBTITLES = IS_FULL ? 100_000 : 40_000;
/** ffmpeg's time grows with the square of this: three megabytes take all of the minute that it is given. */
const SUBTITLE_BYTES = IS_FULL ? 3_000_000 : 400_000;

/** Making these takes gigabytes and minutes; the usual run has pictures that only claim to be large. */
const SCREENS: readonly HostileFile[] = [
  {
    name: 'a video that grows from 160 to 16,000 pixels on the way',
    make: async (materials) => Buffer.concat([materials.good.ts, await transport(materials, '16000x8000')]),
  },
  {
    name: 'three frames of a cinema’s screen in a few kilobytes',
    make: (materials) =>
      lavfi(materials, 'screen.mkv', 'color=black:size=8192x4608:rate=3:duration=1', ['-c:v', 'mjpeg']),
  },
];

/** Small files that claim to be large, long or many. */
export const BOMBS: readonly HostileFile[] = [
  { name: 'pictures of 65,500 × 65,500 in an AVI', make: ({ good }) => resized(good.avi, 0, 65_500), ends: 'failed' },
  { name: 'pictures that grow to 65,500 × 65,500 on the way', make: ({ good }) => resized(good.avi, 3, 65_500) },
  { name: 'pictures that grow to 4,000 × 4,000 on the way', make: ({ good }) => resized(good.avi, 3, 4_000) },
  {
    name: 'a video of 65,535 × 65,535 by its index',
    make: ({ good }) =>
      patched(good.mp4, 'stsd', (body) => {
        const entry = body.indexOf('avc1');
        if (entry > 0) body.writeUInt32BE(0xffffffff, entry + 28);
      }),
  },
  ...(IS_FULL ? SCREENS : []),
  {
    name: 'a thousand frames a second',
    make: (materials) => lavfi(materials, 'fast.mkv', 'color=black:size=64x64:rate=1000:duration=1', ['-c:v', 'mjpeg']),
  },
  ...[1_000_000_000, 13 * 3600].map((seconds): HostileFile => ({
    name: `one second that says it is ${seconds}`,
    make: ({ good }) => lasting(good.mp4, seconds),
    ends: 'failed',
  })),
  { name: 'one second that says it is eleven hours', make: ({ good }) => lasting(good.mp4, 11 * 3600), ends: 'failed' },
  ...['7ff0000000000000', '7ff8000000000000', 'c08f400000000000', '7e37e43c8800759c'].map((double): HostileFile => ({
    name: `a Matroska that is ${Buffer.from(double, 'hex').readDoubleBE(0)} ms long`,
    make: ({ good }) => matroskaLasting(good.mkv, double),
  })),
  {
    name: 'a recording that begins again and again',
    make: ({ good }) => Buffer.concat(Array.from({ length: 200 }, () => good.ts)),
  },
  {
    name: 'a recording with a jump of a day',
    make: async ({ folder, good }) => {
      const later = join(folder, 'later.ts');
      await ffmpeg('-i', good.mp4Path, '-c', 'copy', '-output_ts_offset', '86000', later);
      return Buffer.concat([good.ts, await readFile(later)]);
    },
  },
  {
    name: '10,000 tracks',
    make: ({ good }) =>
      patched(good.mp4, 'moov', (_, moov) => {
        const [track] = moov.children!.filter(({ type }) => type === 'trak');
        moov.children!.push(...Array.from({ length: 10_000 }, () => track!));
      }),
    ends: 'failed',
  },
  {
    name: `${CHAPTERS} chapters`,
    make: async (materials) => {
      const chapter = (n: number): string =>
        `[CHAPTER]\nTIMEBASE=1/1000000\nSTART=${n * 10}\nEND=${n * 10 + 10}\ntitle=chapter ${n}\n`;
      const list = Array.from({ length: CHAPTERS }, (_, n) => chapter(n)).join('');
      return described(materials, 'chapters.mkv', list);
    },
  },
  {
    name: 'a title of three megabytes',
    make: (materials) => described(materials, 'title.mkv', `title=${'x'.repeat(3_000_000)}\n`),
  },
  {
    name: 'ten thousand tags',
    make: (materials) =>
      described(
        materials,
        'tags.mkv',
        Array.from({ length: 10_000 }, (_, n) => `tag${n}=${'y'.repeat(50)}\n`).join(''),
      ),
  },
  {
    name: `${SUBTITLES} subtitles at once`,
    make: (materials) =>
      subtitled(materials, 'cues.mkv', Array.from({ length: SUBTITLES }, (_, n) => cue(n, 'text')).join('')),
    ends: 'ready',
  },
  {
    name: `one subtitle of ${SUBTITLE_BYTES} bytes`,
    make: (materials) => subtitled(materials, 'cue.mkv', cue(0, 'z'.repeat(SUBTITLE_BYTES))),
    ends: 'ready',
  },
  ...[
    [0, 8000],
    [65_535, 48_000],
    [2, 0],
    [2, 1],
    [2, 4_294_967_295],
    [64, 384_000],
  ].map(([channels = 0, rate = 0]): HostileFile => ({
    name: `sound in ${channels} channels at ${rate} Hz`,
    make: ({ good }) => {
      const wav = Buffer.from(good.wav);
      wav.writeUInt16LE(channels, 22);
      wav.writeUInt32LE(rate, 24);
      return wav;
    },
  })),
];

/** Makes all JPEGs after the first `after` claim to be squares of `side`. */
function resized(avi: Buffer, after: number, side: number): Buffer {
  const bytes = Buffer.from(avi);
  let seen = 0;
  for (let at = bytes.indexOf(SOF); at !== -1; at = bytes.indexOf(SOF, at + 2)) {
    if (seen >= after) {
      bytes.writeUInt16BE(side, at + 5);
      bytes.writeUInt16BE(side, at + 7);
    }
    seen += 1;
  }
  if (after === 0) {
    const format = bytes.indexOf('strf') + 8;
    bytes.writeUInt32LE(side, format + 4);
    bytes.writeUInt32LE(side, format + 8);
  }
  return bytes;
}

type Found = ReturnType<typeof find>[number];

function patched(mp4: Buffer, type: string, patch: (body: Buffer, found: Found) => void): Buffer {
  const boxes = readBoxes(Buffer.from(mp4));
  for (const found of find(boxes, type)) patch(found.body, found);
  return writeBoxes(boxes);
}

/** Changes the durations in the headers of the video and of each track, and the time of each last frame. */
function lasting(mp4: Buffer, seconds: number): Buffer {
  const boxes = readBoxes(Buffer.from(mp4));
  const ticks = (perSecond: number): number => Math.min(0xffff_fffe, seconds * perSecond);
  const scale = find(boxes, 'mvhd')[0]!.body.readUInt32BE(12);
  for (const { body } of find(boxes, 'mvhd')) body.writeUInt32BE(ticks(scale), 16);
  for (const { body } of find(boxes, 'tkhd')) body.writeUInt32BE(ticks(scale), 20);
  for (const { body } of find(boxes, 'mdhd')) {
    if (seconds > 300_000) body.writeUInt32BE(1, 12);
    body.writeUInt32BE(ticks(body.readUInt32BE(12)), 16);
  }
  for (const { body } of find(boxes, 'elst')) body.writeUInt32BE(ticks(scale), 8);
  return writeBoxes(boxes);
}

function matroskaLasting(mkv: Buffer, double: string): Buffer {
  const bytes = Buffer.from(mkv);
  const at = bytes.indexOf(Buffer.from('448988', 'hex'));
  bytes.write(double, at + 3, 'hex');
  return bytes;
}

async function transport(materials: Materials, size: string): Promise<Buffer> {
  return lavfi(materials, `large-${size}.ts`, `color=black:size=${size}:rate=1:duration=1`, [
    '-c:v',
    'libx264',
    '-preset',
    'ultrafast',
    '-output_ts_offset',
    '1',
  ]);
}

async function lavfi({ folder }: Materials, name: string, source: string, codec: string[]): Promise<Buffer> {
  const path = join(folder, name);
  await ffmpeg('-f', 'lavfi', '-i', source, ...codec, path);
  return readFile(path);
}

async function described({ folder, good }: Materials, name: string, metadata: string): Promise<Buffer> {
  const list = join(folder, `${name}.txt`);
  await writeFile(list, `;FFMETADATA1\n${metadata}`);
  const path = join(folder, name);
  await ffmpeg(
    '-i',
    good.mp4Path,
    '-f',
    'ffmetadata',
    '-i',
    list,
    '-map',
    '0',
    '-map_metadata',
    '1',
    '-c',
    'copy',
    path,
  );
  return readFile(path);
}

async function subtitled({ folder, good }: Materials, name: string, srt: string): Promise<Buffer> {
  const list = join(folder, `${name}.srt`);
  await writeFile(list, srt);
  const path = join(folder, name);
  await ffmpeg('-i', good.mp4Path, '-i', list, '-map', '0', '-map', '1', '-c', 'copy', path);
  return readFile(path);
}

function cue(n: number, text: string): string {
  const ms = String(n % 900).padStart(3, '0');
  return `${n + 1}\n00:00:00,${ms} --> 00:00:00,999\n${text} ${n}\n\n`;
}
