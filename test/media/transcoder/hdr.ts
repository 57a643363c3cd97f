import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { ffmpeg } from '../../support/media.js';

/** Red, green and blue light in nits, in BT.709 primaries. */
export type Light = readonly [number, number, number];

export const PATCH_VIDEO = { width: 320, height: 180 };

const TO_BT2020 = [
  [0.6274, 0.3293, 0.0433],
  [0.0691, 0.9195, 0.0114],
  [0.0164, 0.088, 0.8956],
] as const;

export const TRANSFERS = { smpte2084: (light: Light) => light.map(pq) as unknown as Light, 'arib-std-b67': hlg };

export type Transfer = keyof typeof TRANSFERS;

/** By SMPTE ST 2084. */
function pq(nits: number): number {
  const power = (nits / 10_000) ** 0.1593017578125;
  return ((0.8359375 + 18.8515625 * power) / (1 + 18.6875 * power)) ** 78.84375;
}

/** By BT.2100, for a display of 1,000 nits. */
function hlg(light: Light): Light {
  const [red, green, blue] = light.map((nits) => nits / 1_000) as unknown as Light;
  const shown = 0.2627 * red + 0.678 * green + 0.0593 * blue;
  const scene = [red, green, blue].map((one) => (shown === 0 ? 0 : one * shown ** (-1 / 6)));
  return scene.map((one) =>
    one <= 1 / 12 ? Math.sqrt(3 * one) : 0.17883277 * Math.log(12 * one - 0.28466892) + 0.55991073,
  ) as unknown as Light;
}

/** 10-bit code values: luma, blue, red. */
function codesOf(light: Light, transfer: Transfer): number[] {
  const wide = TO_BT2020.map((row) => row.reduce((sum, share, index) => sum + share * light[index]!, 0));
  const [red, green, blue] = TRANSFERS[transfer](wide as unknown as Light);
  const luma = 0.2627 * red + 0.678 * green + 0.0593 * blue;
  return [64 + 876 * luma, 512 + (896 * (blue - luma)) / 1.8814, 512 + (896 * (red - luma)) / 1.4746].map(Math.round);
}

const TAGS = ['-color_primaries', 'bt2020', '-colorspace', 'bt2020nc', '-color_range', 'tv'];

/** A lossless video of columns at ten frames per second, each with one light. */
export async function patchVideo(
  folder: string,
  transfer: Transfer,
  lights: readonly Light[],
  {
    frames = 60,
    tags = TAGS,
    filters = 'null',
    codec = ['-c:v', 'ffv1'],
  }: { frames?: number; tags?: string[]; filters?: string; codec?: string[] } = {},
): Promise<string> {
  const { width, height } = PATCH_VIDEO;
  const codes = lights.map((light) => codesOf(light, transfer));
  const plane = (channel: number, by: number): number[] =>
    Array.from({ length: (width / by) * (height / by) }, (_, index) => {
      const x = (index % (width / by)) * by;
      return codes[Math.floor((x * lights.length) / width)]![channel]!;
    });
  const raw = join(folder, 'patches.raw');
  await writeFile(raw, Uint16Array.from([...plane(0, 1), ...plane(1, 2), ...plane(2, 2)]));
  const path = join(folder, `patches.mkv`);
  const input = ['-f', 'rawvideo', '-pix_fmt', 'yuv420p10le', '-s', `${width}x${height}`, '-r', '10'];
  await ffmpeg(
    ...input,
    '-stream_loop',
    `${frames - 1}`,
    '-i',
    raw,
    '-vf',
    filters,
    ...codec,
    '-color_trc',
    transfer,
    ...tags,
    path,
  );
  return path;
}
