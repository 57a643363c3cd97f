import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Chance } from '../../../support/proofs/chance.js';
import { ffmpeg } from '../../../support/media.js';
import { boundaries } from '../boxes.js';
import type { HostileFile, Materials } from './hostileFile.js';

const PICTURES = ['png', 'gif', 'jpg', 'bmp', 'webp', 'tiff'];
const MARKS: Record<string, Buffer> = {
  nothing: Buffer.alloc(0),
  'one byte': Buffer.alloc(1),
  zeros: Buffer.alloc(50_000),
  'a PDF': Buffer.from('%PDF-1.7\n'.repeat(50)),
  'a program': Buffer.concat([Buffer.from('7f454c460201010000', 'hex'), Buffer.alloc(2_000)]),
  'an archive': Buffer.concat([Buffer.from('504b0304', 'hex'), Buffer.alloc(2_000)]),
  'an AVI with chunks of every size': riff('AVI ', ['LIST', 'JUNK', 'idx1', 'indx', 'strh', 'strf'], 0x7fffffff),
  'a WAV with chunks of every size': riff('WAVE', ['LIST', 'fmt ', 'data', 'ds64', 'cue ', 'smpl'], 0xffffffff),
  'an RF64 of an exabyte': Buffer.concat([
    Buffer.from('RF64\xff\xff\xff\xffWAVEds64\x1c\0\0\0', 'latin1'),
    Buffer.alloc(28, 0x7f),
    Buffer.from('fmt \x10\0\0\0\x01\0\x02\0\x80\xbb\0\0\0\xee\x02\0\x04\0\x10\0data\xff\xff\xff\xff', 'latin1'),
    Buffer.alloc(4_000),
  ]),
};

/** Files that are not videos, and videos with something missing. */
export const DAMAGE: readonly HostileFile[] = [
  ...Object.entries(MARKS).map(([name, bytes]): HostileFile => ({ name, make: () => bytes })),
  ...PICTURES.map((type): HostileFile => ({
    name: `a picture (${type})`,
    make: (materials) => picture(materials, type),
    ends: 'failed',
  })),
];

const NAMES: Record<string, string> = {
  'a path': '../../../../etc/cron.d/canary.mp4',
  'a path of Windows': '..\\..\\canary.mp4',
  'an absolute path': '/tmp/canary.mp4',
  'a leading dash': '-y -i /etc/passwd.mp4',
  'line breaks': 'a\nb\r\nc.mp4',
  'a pattern': 'video%d%05d%s%n.mp4',
  quotes: `'";$(touch /tmp/canary)\`|&.mp4`,
  'an address': 'http://127.0.0.1:1/video.mp4',
  'concat:': 'concat:a|b.mp4',
  'letters from right to left': 'video\u202e4pm.\u2067exe.mp4',
  'four kilobytes': `${'n'.repeat(4096)}.mp4`,
  'a zero byte': 'video\0.mp4',
  'half a letter': 'video\ud800.mp4',
  dots: '..',
};

/** Good sound under a bad name. */
export const ODD_NAMES: readonly HostileFile[] = Object.entries(NAMES).map(([name, filename]) => ({
  name: `a name with ${name}`,
  filename,
  make: ({ good }) => good.wav,
}));

/** For each box, or every so many-th: one file that ends where the box begins, and one that ends within it. */
export function truncations(faststart: Buffer, every: number): HostileFile[] {
  const some = boundaries(faststart).filter((_, index) => index % every === 0);
  return some.flatMap((at) =>
    [at, at + 6].map((end) => ({
      name: `a video that ends after ${end} bytes`,
      make: () => faststart.subarray(0, end),
    })),
  );
}

/** Videos with a few flipped bits, most of them in the headers. */
export function mutations(chance: Chance, count: number, { good }: Pick<Materials, 'good'>): HostileFile[] {
  const kinds = ['faststart', 'ts', 'mkv', 'avi', 'wav', 'flv', 'vob', 'mxf', 'wmv', 'gif'] as const;
  return Array.from({ length: count }, (_, index) => {
    const kind = kinds[index % kinds.length]!;
    const bytes = Buffer.from(good[kind]);
    for (let flips = 1 + chance.below(12); flips > 0; flips -= 1) {
      const at = chance.below(chance.below(3) === 0 ? bytes.length : Math.min(bytes.length, 1_500));
      bytes[at] = bytes[at]! ^ (1 << chance.below(8));
    }
    return { name: `mutation ${index} (${kind})`, make: () => bytes };
  });
}

function riff(form: string, chunks: string[], size: number): Buffer {
  const parts = chunks.flatMap((chunk, index) => {
    const head = Buffer.alloc(8);
    head.write(chunk);
    head.writeUInt32LE(index % 2 === 0 ? 33 : size, 4);
    return [head, Buffer.alloc(33, index)];
  });
  const body = Buffer.concat(parts);
  const head = Buffer.from(`RIFF\0\0\0\0${form}`, 'latin1');
  head.writeUInt32LE(body.length + 4, 4);
  return Buffer.concat([head, body]);
}

async function picture({ folder }: Materials, type: string): Promise<Buffer> {
  const path = join(folder, `picture.${type}`);
  await ffmpeg('-f', 'lavfi', '-i', 'testsrc=size=64x64', '-frames:v', '1', path);
  return readFile(path);
}
