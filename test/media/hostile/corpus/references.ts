import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { ffmpeg } from '../../../support/media.js';
import { box, find, fullBox, readBoxes, writeBoxes } from '../boxes.js';
import { LOCATORS } from './containers.js';
import type { HostileFile } from './hostileFile.js';

/** Valid containers that refer to other files and addresses. */
export const REFERENCES: readonly HostileFile[] = [
  {
    name: 'an MP4 whose media lie at an address',
    make: ({ good, canaries }) => elsewhere(good.mp4, 'url ', canaries.url),
  },
  {
    name: 'an MP4 whose media lie in a file',
    make: ({ good, canaries }) => elsewhere(good.mp4, 'url ', `file://${canaries.file}`),
  },
  { name: 'an MP4 with an alias of a file', make: ({ good, canaries }) => elsewhere(good.mp4, 'alis', canaries.file) },
  {
    name: 'a movie that is a reference to another',
    make: ({ canaries }) => {
      const target = Buffer.from(`${canaries.url}\0`);
      const size = Buffer.alloc(4);
      size.writeUInt32BE(target.length);
      const reference = fullBox('rdrf', 0, Buffer.concat([Buffer.from('url '), size, target]));
      return Buffer.concat([
        box('ftyp', Buffer.from('qt  \0\0\0\0qt  ')),
        box('moov', box('rmra', box('rmda', reference))),
      ]);
    },
    ends: 'failed',
  },
  {
    name: 'a Matroska with attachments that have paths for names',
    make: async ({ folder, good, canaries }) => {
      const path = join(folder, 'attached.mkv');
      const attach = ['../../../canary.ts', '/tmp/canary.ts', canaries.file].flatMap((name, index) => [
        '-attach',
        good.mp4Path,
        `-metadata:s:t:${index}`,
        'mimetype=application/x-truetype-font',
        `-metadata:s:t:${index}`,
        `filename=${name}`,
      ]);
      await ffmpeg('-i', good.mp4Path, '-map', '0', '-c', 'copy', ...attach, path);
      return readFile(path);
    },
    ends: 'ready',
  },
  {
    name: 'a Matroska that continues in other files',
    make: ({ good, canaries }) => linked(good.mkv, canaries.file),
  },
  ...LOCATORS,
];

/** Makes the first track's data reference name another place. The index is at the end, so it can grow. */
function elsewhere(mp4: Buffer, type: 'url ' | 'alis', target: string): Buffer {
  const boxes = readBoxes(mp4);
  for (const dref of find(boxes, 'dref')) {
    const entry = type === 'url ' ? fullBox('url ', 0, Buffer.from(`${target}\0`)) : alias(target);
    dref.body = Buffer.concat([dref.body.subarray(0, 4), Buffer.from([0, 0, 0, 1]), entry]);
  }
  return writeBoxes(boxes);
}

/** In QuickTime's format: a volume, and the path on it. */
function alias(target: string): Buffer {
  const path = Buffer.from(target);
  const record = Buffer.alloc(150);
  record.writeUInt16BE(2, 6);
  record.write('Macintosh HD', 11);
  const tagged = (tag: number, body: Buffer): Buffer => {
    const head = Buffer.alloc(4);
    head.writeUInt16BE(tag, 0);
    head.writeUInt16BE(body.length, 2);
    return Buffer.concat([head, body, Buffer.alloc(body.length % 2)]);
  };
  return fullBox(
    'alis',
    0,
    Buffer.concat([record, tagged(2, path), tagged(18, path), tagged(0xffff, Buffer.alloc(0))]),
  );
}

/** Gives the segment a previous and a next segment, by file name. */
function linked(mkv: Buffer, target: string): Buffer {
  const info = mkv.indexOf(Buffer.from('1549a966', 'hex'));
  const sizeAt = info + 4;
  const sizeBytes = Math.clz32(mkv[sizeAt]!) - 24 + 1;
  const size = mkv.readUIntBE(sizeAt, Math.min(sizeBytes, 6)) & (2 ** Math.min(7 * sizeBytes, 30) - 1);
  const old = mkv.subarray(sizeAt + sizeBytes, sizeAt + sizeBytes + size);
  const extra = Buffer.concat([
    element('3e83bb', Buffer.from(target)),
    element('3c83ab', Buffer.from(target)),
    element('3eb923', Buffer.alloc(16, 7)),
  ]);
  const grown = element('1549a966', Buffer.concat([old, extra]));
  const bytes = Buffer.concat([mkv.subarray(0, info), grown, mkv.subarray(sizeAt + sizeBytes + size)]);
  // The segment's own size is now unknown.
  const segment = bytes.indexOf(Buffer.from('18538067', 'hex')) + 4;
  bytes.write('01ffffffffffffff', segment, 'hex');
  return bytes;
}

export function element(id: string, body: Buffer): Buffer {
  const size = Buffer.alloc(8);
  size.writeUInt32BE(body.length, 4);
  size[0] = 1;
  return Buffer.concat([Buffer.from(id, 'hex'), size, body]);
}
