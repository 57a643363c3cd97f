import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Brand, BrandLogo } from '../../../src/ports/brand.js';
import { ffmpeg } from '../media.js';

export interface Picture {
  readonly width: number;
  readonly height: number;
  /** Red, green, blue. */
  at(x: number, y: number): [number, number, number];
}

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** One frame of a video, in the colours that a player with `matrix` shows. */
export async function frameOf(
  folder: string,
  video: string,
  size: { width: number; height: number },
  { matrix = 'bt601', atSeconds = 0 } = {},
): Promise<Picture> {
  const raw = join(folder, 'frame.rgb');
  const filters = `scale=in_color_matrix=${matrix}:flags=accurate_rnd,format=rgb24`;
  // A still picture cannot be seeked.
  const from = atSeconds === 0 ? [] : ['-ss', `${atSeconds}`];
  await ffmpeg(...from, '-i', video, '-frames:v', '1', '-vf', filters, '-f', 'rawvideo', raw);
  const bytes = await readFile(raw);
  if (bytes.length !== size.width * size.height * 3) throw new Error(`the frame has ${bytes.length} bytes`);
  return {
    ...size,
    at: (x, y) => {
      const offset = (y * size.width + x) * 3;
      return [bytes[offset]!, bytes[offset + 1]!, bytes[offset + 2]!];
    },
  };
}

/** The box around every pixel for which `isLogo` holds; `null` if there is none. */
export function boxOf(picture: Picture, isLogo: (rgb: [number, number, number]) => boolean): Box | null {
  let [left, top, right, bottom] = [Infinity, Infinity, -1, -1];
  for (let y = 0; y < picture.height; y += 1) {
    for (let x = 0; x < picture.width; x += 1) {
      if (!isLogo(picture.at(x, y))) continue;
      [left, right] = [Math.min(left, x), Math.max(right, x)];
      [top, bottom] = [Math.min(top, y), Math.max(bottom, y)];
    }
  }
  return right < 0 ? null : { x: left, y: top, width: right - left + 1, height: bottom - top + 1 };
}

/** A logo of one colour, as `ffmpeg` spells it. */
export async function plainLogo(folder: string, color: string, width = 200, height = 100): Promise<BrandLogo> {
  const path = join(folder, 'plain.png');
  await ffmpeg('-f', 'lavfi', '-i', `color=c=${color}:s=${width}x${height},format=rgba`, '-frames:v', '1', path);
  return { png: await readFile(path), width, height };
}

export function brandOf(logo: BrandLogo, placement: Partial<Omit<Brand, 'logo'>> = {}): Brand {
  return { position: 'top_left', widthPercent: 25, marginPercent: 5, opacityPercent: 100, ...placement, logo };
}

/** A video of one colour. */
export async function plainVideo(
  folder: string,
  {
    color = '0x202020',
    width = 640,
    height = 360,
    tags = [] as string[],
    seconds = 1,
  }: { color?: string; width?: number; height?: number; tags?: string[]; seconds?: number } = {},
): Promise<string> {
  const path = join(folder, `plain_${width}x${height}.mp4`);
  const source = `color=c=${color}:s=${width}x${height}:r=25:d=${seconds}`;
  await ffmpeg(
    '-f',
    'lavfi',
    '-i',
    source,
    '-pix_fmt',
    'yuv420p',
    '-c:v',
    'libx264',
    '-preset',
    'ultrafast',
    ...tags,
    path,
  );
  return path;
}
