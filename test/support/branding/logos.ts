import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';

import { FfmpegLogoTools } from '../../../src/adapters/transcode/pictures/ffmpegLogoTools.js';
import type { BrandLogo } from '../../../src/ports/brand.js';
import { ffmpeg, mediaFolder } from '../media.js';

const tools = new FfmpegLogoTools({ searchPath: process.env['PATH']!, mustConfine: false });

export function normalise(bytes: Uint8Array | string, by = tools): Promise<BrandLogo> {
  return by.normaliseLogo(typeof bytes === 'string' ? Buffer.from(bytes) : bytes);
}

/** The pixels of a logo: red, green, blue, alpha. */
export async function pixelsOf(logo: BrandLogo): Promise<(x: number, y: number) => number[]> {
  await using folder = await mediaFolder();
  const [png, raw] = [join(folder.path, 'logo.png'), join(folder.path, 'logo.raw')];
  await writeFile(png, logo.png);
  await ffmpeg('-i', png, '-vf', 'format=rgba', '-f', 'rawvideo', raw);
  const bytes = await readFile(raw);
  if (bytes.length !== logo.width * logo.height * 4) throw new Error(`${bytes.length} bytes are not its pixels`);
  return (x, y) => [...bytes.subarray((y * logo.width + x) * 4, (y * logo.width + x) * 4 + 4)];
}

export async function picture(source: string, name = 'logo.png', ...options: string[]): Promise<Buffer> {
  await using folder = await mediaFolder();
  const path = join(folder.path, name);
  await ffmpeg('-f', 'lavfi', '-i', source, ...options, path);
  return await readFile(path);
}

export function still(source: string, name?: string): Promise<Buffer> {
  return picture(source, name, '-frames:v', '1');
}

export function svg(content: string, attributes = 'viewBox="0 0 40 20"'): string {
  const spaces = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"';
  return `<svg ${spaces} ${attributes}>${content}</svg>`;
}

/** A PNG as an attacker writes it: any header, any content. */
export function png(width: number, height: number, content: Buffer, { depth = 8, color = 6 } = {}): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = depth;
  header[9] = color;
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', content),
    chunk('IEND'),
  ]);
}

export function chunk(name: string, content: Uint8Array = Buffer.alloc(0)): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), content]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}
