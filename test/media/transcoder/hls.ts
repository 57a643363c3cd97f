import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EncodedRendition, Rendition, SourceProbe } from '../../../src/ports/transcoder.js';
import { constantFrameRate } from '../../../src/domain/media/pipeline/frameRate.js';
import { renditionsFor } from '../../../src/domain/media/pipeline/ladder.js';
import { ffprobe } from '../../support/media.js';

/**
 * A ladder with tiny pictures: everything else is real, so that a test takes seconds. The smaller picture has at most 30
 * frames a second.
 */
export function tinyLadder(probe: SourceProbe): Rendition[] {
  const wanted = renditionsFor('2160p', probe);
  const [largest] = wanted;
  if (largest === undefined || largest.quality === 'audio') {
    return wanted;
  }
  return [
    { ...largest, quality: '720p', width: 160, height: 90, frameRate: constantFrameRate(probe.video!) },
    { ...largest, quality: '480p', width: 96, height: 54 },
    ...wanted.filter((rendition) => rendition.quality === 'audio'),
  ];
}

/** Where each segment starts, in seconds, by its own tfdt box and not by its playlist. */
export async function segmentStarts(outputDir: string, rendition: EncodedRendition): Promise<number[]> {
  const init = await readFile(join(outputDir, rendition.initPath));
  const timescale = readTimescale(init);
  const starts: number[] = [];
  for (const path of rendition.segmentPaths) {
    starts.push(readDecodeTime(await readFile(join(outputDir, path))) / timescale);
  }
  return starts;
}

export interface Packet {
  ptsSeconds: number;
  keyframe: boolean;
}

/** The packets of one segment, which ffprobe reads from only the init segment and that segment. */
export async function segmentPackets(outputDir: string, rendition: EncodedRendition, index: number): Promise<Packet[]> {
  const parts = [rendition.initPath, rendition.segmentPaths[index] ?? ''];
  return packetsOf(outputDir, parts);
}

export async function allPackets(outputDir: string, rendition: EncodedRendition): Promise<Packet[]> {
  return packetsOf(outputDir, [rendition.initPath, ...rendition.segmentPaths]);
}

async function packetsOf(outputDir: string, parts: string[]): Promise<Packet[]> {
  const path = await joined(outputDir, parts);
  const output = await ffprobe(
    '-of',
    'compact=nokey=1:print_section=0',
    '-show_entries',
    'packet=pts_time,flags',
    path,
  );
  return output
    .trim()
    .split('\n')
    .map((line) => {
      const [pts = '', flags = ''] = line.split('|');
      return { ptsSeconds: Number(pts), keyframe: flags.startsWith('K') };
    });
}

/** Joins segments into one playable file. */
export async function joined(outputDir: string, parts: string[]): Promise<string> {
  const bytes = await Promise.all(parts.map((part) => readFile(join(outputDir, part))));
  const path = join(outputDir, 'joined.mp4');
  await writeFile(path, Buffer.concat(bytes));
  return path;
}

function readTimescale(init: Buffer): number {
  const content = contentOf(init, 'mdhd');
  // Version 1 has 64-bit times before the timescale.
  return content.readUInt32BE(content[0] === 1 ? 20 : 12);
}

function readDecodeTime(segment: Buffer): number {
  const content = contentOf(segment, 'tfdt');
  return content[0] === 1 ? Number(content.readBigUInt64BE(4)) : content.readUInt32BE(4);
}

function contentOf(bytes: Buffer, type: string): Buffer {
  const at = bytes.indexOf(type, 0, 'latin1');
  if (at === -1) {
    throw new Error(`no ${type} box`);
  }
  return bytes.subarray(at + 4);
}
