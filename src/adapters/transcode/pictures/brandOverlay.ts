import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Brand, BrandLogo } from '../../../ports/brand.js';

/** In the output folder, the only place the sandbox shows besides the source. */
const LOGO_FILE = 'logo.png';

/** A picture that gets the logo, in square pixels, and its color matrix. */
export interface BrandedPicture {
  readonly width: number;
  readonly height: number;
  readonly matrix: ColorMatrix;
}

/** In the spelling of ffmpeg's scaler. */
export type ColorMatrix = 'bt601' | 'bt709' | 'bt2020' | 'smpte240m';

export interface LogoBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Writes the logo where the sandboxed encoder can read it. */
export async function placeLogo(outputDir: string, { png }: BrandLogo): Promise<void> {
  await writeFile(join(outputDir, LOGO_FILE), png);
}

/** The logo as another input, read by the only demuxer that our own PNG needs. */
export function logoInput(outputDir: string): string[] {
  return [
    ['-protocol_whitelist', 'file,pipe', '-format_whitelist', 'png_pipe', '-codec_whitelist', 'png'],
    ['-f', 'png_pipe', '-i', `file:${outputDir}/${LOGO_FILE}`],
  ].flat();
}

/**
 * Filters that overlay the logo, input 1, on each picture: `[<from><i>]` in, `[<to><i>]` out.
 *
 * The logo is scaled for each picture from its full size, so that it is sharp in every rendition. Colors are
 * premultiplied by alpha while scaling; otherwise invisible colors around the logo would tint its edge. One frame is
 * read and scaled once, and the overlay repeats it to the end of the video.
 */
export function brandFilters(
  brand: Brand,
  pictures: readonly BrandedPicture[],
  { from, to }: { from: string; to: string },
): string[] {
  const opacity = (brand.opacityPercent / 100).toFixed(2);
  const fans = pictures.map((_, index) => `[fan${index}]`).join('');
  return [
    `[1:0]format=gbrap,colorchannelmixer=aa=${opacity},premultiply=inplace=1,split=${pictures.length}${fans}`,
    ...pictures.flatMap((picture, index) => {
      const box = logoBox(brand, picture);
      return [
        `[fan${index}]scale=${box.width}:${box.height}:flags=bicubic,unpremultiply=inplace=1,` +
          `scale=out_color_matrix=${picture.matrix}:out_range=tv,format=yuva420p[logo${index}]`,
        `[${from}${index}][logo${index}]overlay=x=${box.x}:y=${box.y}:format=yuv420[${to}${index}]`,
      ];
    }),
  ];
}

/**
 * Position and size of the logo. All numbers are even, because of chroma subsampling, and the logo never crosses an
 * edge, whatever its shape.
 */
function logoBox(
  { position, widthPercent, marginPercent, logo }: Brand,
  { width, height }: Pick<BrandedPicture, 'width' | 'height'>,
): LogoBox {
  const margin = even(Math.min((width * marginPercent) / 100, height / 4));
  const scale = Math.min((width * widthPercent) / 100 / logo.width, (height - 2 * margin) / logo.height);
  const box = { width: even(logo.width * scale, 2), height: even(logo.height * scale, 2) };
  const [left, right] = [margin, width - box.width - margin];
  const [top, bottom] = [margin, height - box.height - margin];
  switch (position) {
    case 'top_left':
      return { ...box, x: left, y: top };
    case 'top_right':
      return { ...box, x: right, y: top };
    case 'bottom_left':
      return { ...box, x: left, y: bottom };
    case 'bottom_right':
      return { ...box, x: right, y: bottom };
    case 'center':
      return { ...box, x: even((width - box.width) / 2), y: even((height - box.height) / 2) };
  }
}

const TAGGED: ReadonlyMap<string, ColorMatrix> = new Map([
  ['bt709', 'bt709'],
  ['smpte240m', 'smpte240m'],
  ['smpte170m', 'bt601'],
  ['bt470bg', 'bt601'],
  ['fcc', 'bt601'],
  ['bt2020nc', 'bt2020'],
  ['bt2020c', 'bt2020'],
]);

/** The matrix for converting the logo's colors, so that a brand's red stays the same red. */
export function matrixOf(tag: string): ColorMatrix {
  return TAGGED.get(tag) ?? 'bt709';
}

function even(length: number, least = 0): number {
  return Math.max(least, Math.floor(length / 2) * 2);
}
