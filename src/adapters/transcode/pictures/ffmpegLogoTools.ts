import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  UnusableLogoError,
  type Brand,
  type BrandLogo,
  type BrandStill,
  type LogoTools,
} from '../../../ports/brand.js';
import { TranscoderUnavailableError } from '../../../ports/transcoder.js';
import { brandFilters, logoInput, placeLogo } from './brandOverlay.js';
import type { ChildResult } from '../sandbox/childProcess.js';
import { reachedLimit, SmallFfmpeg, type SmallFfmpegOptions } from '../sandbox/smallFfmpeg.js';
import { MAX_LOGO_PIXELS, ownLogo, sniffLogo, type LogoFormat } from './logoFormat.js';
import { sandboxComplained } from '../sandbox/sandbox.js';

/**
 * Sharp at a quarter of a 2160p picture. Logos whose PNG is too large at that size (photographs, noise) are made
 * smaller.
 */
const SIDES = [1024, 512] as const;
const MAX_PNG_BYTES = 1_500_000;
const PREVIEW_SIDE = 1280;

const SOURCE_FILE = 'source';
const OUTPUT_DIR = 'out';
const OUTPUT_FILE = 'made';
const QUIET = ['-hide_banner', '-nostdin', '-y', '-loglevel', 'error'];
/** Runs ffmpeg in the sandbox. Paths are as it sees them. */
type RunFfmpeg = (
  paths: { inputPath: string; outputDir: string },
  toArguments: (inside: { inputPath: string; outputDir: string }) => string[],
) => Promise<ChildResult>;

/** Logo tools based on ffmpeg, in the same sandbox as for videos. */
export class FfmpegLogoTools implements LogoTools {
  private readonly ffmpeg: SmallFfmpeg;

  constructor(options: SmallFfmpegOptions) {
    this.ffmpeg = new SmallFfmpeg(options);
  }

  normaliseLogo(bytes: Uint8Array): Promise<BrandLogo> {
    return this.ffmpeg.inFolder((folder) => normaliseLogo(bytes, folder, (...run) => this.ffmpeg.run(...run)));
  }

  drawBrand(brand: Brand, still: BrandStill | null): Promise<Uint8Array> {
    return this.ffmpeg.inFolder((folder) => drawBrand(brand, still, folder, (...run) => this.ffmpeg.run(...run)));
  }
}

/**
 * Redraws an uploaded logo as PNG with transparency. Sniffing decides the format, which pins one demuxer and one
 * decoder. A library that draws SVG gets only the bytes, so that it cannot open other files.
 * @throws UnusableLogoError, TranscoderUnavailableError
 */
async function normaliseLogo(bytes: Uint8Array, workDir: string, ffmpeg: RunFfmpeg): Promise<BrandLogo> {
  const format = sniffLogo(bytes);
  const paths = { inputPath: join(workDir, SOURCE_FILE), outputDir: join(workDir, OUTPUT_DIR) };
  await mkdir(paths.outputDir, { recursive: true });
  await writeFile(paths.inputPath, bytes);
  const made = join(paths.outputDir, OUTPUT_FILE);
  for (const side of SIDES) {
    const result = await ffmpeg(paths, (inside) => normaliseArguments(format, side, inside));
    if (result.exitCode !== 0) throw refusal(result, format);
    if ((await stat(made)).size <= MAX_PNG_BYTES) return ownLogo(await readFile(made), side);
  }
  throw new Error('a small PNG is larger than it can be');
}

function normaliseArguments(
  format: LogoFormat,
  side: number,
  { inputPath, outputDir }: { inputPath: string; outputDir: string },
): string[] {
  const isSvg = format.kind === 'svg';
  const decoder = isSvg ? 'librsvg' : 'png';
  return [
    QUIET,
    ['-threads', '1', '-max_pixels', `${MAX_LOGO_PIXELS}`, '-err_detect', 'explode', '-xerror'],
    ['-protocol_whitelist', 'file,pipe', '-format_whitelist', `${format.kind}_pipe`, '-codec_whitelist', decoder],
    ['-f', `${format.kind}_pipe`, '-c:v', decoder],
    ...(isSvg ? [['-width', `${side}`, '-height', `${side}`, '-keep_ar', '1']] : []),
    ['-i', `file:${inputPath}`],
    ['-map', '0:0', '-frames:v', '1', '-vf', isSvg ? drawn() : fitted(format, side)],
    ['-map_metadata', '-1', '-bitexact', '-threads', '1', '-c:v', 'png', '-f', 'image2', '-update', '1'],
    [`${outputDir}/${OUTPUT_FILE}`],
  ].flat();
}

/** librsvg draws at the requested size and returns premultiplied colors. */
function drawn(): string {
  return 'format=gbrap,unpremultiply=inplace=1,format=rgba';
}

/** Scales down if too large, with colors weighted by alpha (see {@link brandFilters}); never enlarges. */
function fitted({ width, height }: Extract<LogoFormat, { kind: 'png' }>, side: number): string {
  const scale = side / Math.max(width, height);
  if (scale >= 1) return 'format=rgba';
  const [w, h] = [width, height].map((length) => Math.max(1, Math.round(length * scale)));
  return `format=gbrap16le,premultiply=inplace=1,scale=${w}:${h}:flags=bicubic,unpremultiply=inplace=1,format=rgba`;
}

function refusal(result: ChildResult, { kind }: LogoFormat): Error {
  const { killedFor, stderrTail } = result;
  if (sandboxComplained(stderrTail)) {
    return new TranscoderUnavailableError(`The sandbox did not start: ${stderrTail.trim()}`);
  }
  if (reachedLimit(result) || /Cannot allocate memory|malloc of size/.test(stderrTail)) {
    return new UnusableLogoError('This file takes too much time or memory to draw.', `${killedFor}\n${stderrTail}`);
  }
  if (kind === 'svg' && /Unknown (decoder|input format)/.test(stderrTail)) {
    return new UnusableLogoError('SVG cannot be read on this service. Send the logo as PNG.', stderrTail);
  }
  return new UnusableLogoError(
    kind === 'svg' ? 'This SVG could not be drawn. Try it as PNG.' : 'This PNG is damaged: it could not be read.',
    stderrTail,
  );
}

/** @throws TranscoderUnavailableError on any failure, because all input is our own */
async function drawBrand(
  brand: Brand,
  still: BrandStill | null,
  workDir: string,
  ffmpeg: RunFfmpeg,
): Promise<Uint8Array> {
  const paths = { inputPath: join(workDir, SOURCE_FILE), outputDir: join(workDir, OUTPUT_DIR) };
  await mkdir(paths.outputDir, { recursive: true });
  await placeLogo(paths.outputDir, brand.logo);
  // Empty if the card is drawn instead.
  await writeFile(paths.inputPath, still?.jpeg ?? '');
  const result = await ffmpeg(paths, (inside) => drawArguments(brand, still, inside));
  if (result.exitCode !== 0) {
    throw new TranscoderUnavailableError(
      `The logo could not be drawn: ${result.killedFor ?? result.stderrTail.trim()}`,
    );
  }
  return readFile(join(paths.outputDir, OUTPUT_FILE));
}

function drawArguments(
  brand: Brand,
  still: Pick<BrandStill, 'width' | 'height'> | null,
  { inputPath, outputDir }: { inputPath: string; outputDir: string },
): string[] {
  const size = previewSize(still ?? { width: 16, height: 9 });
  const graph = [
    // JPEG's color matrix.
    `[0:0]scale=${size.width}:${size.height}:force_original_aspect_ratio=increase:flags=bicubic:out_range=tv:out_color_matrix=bt601,` +
      `crop=${size.width}:${size.height},setsar=1,format=yuv420p[p0]`,
    ...brandFilters(brand, [{ ...size, matrix: 'bt601' }], { from: 'p', to: 'v' }),
    '[v0]scale=out_range=pc,format=yuvj420p[shown]',
  ].join(';');
  return [
    QUIET,
    ['-threads', '1', '-max_pixels', `${MAX_LOGO_PIXELS}`],
    still === null ? cardInput(size) : stillInput(inputPath),
    logoInput(outputDir),
    ['-filter_complex', graph, '-map', '[shown]', '-frames:v', '1'],
    ['-map_metadata', '-1', '-c:v', 'mjpeg', '-q:v', '3', '-f', 'image2', '-update', '1'],
    [`${outputDir}/${OUTPUT_FILE}`],
  ].flat();
}

function stillInput(path: string): string[] {
  return [
    ['-protocol_whitelist', 'file,pipe', '-format_whitelist', 'jpeg_pipe', '-codec_whitelist', 'mjpeg'],
    ['-f', 'jpeg_pipe', '-i', `file:${path}`],
  ].flat();
}

/** A gradient from dark to light, corner to corner, to show the logo on both. */
function cardInput({ width, height }: { width: number; height: number }): string[] {
  return ['-f', 'lavfi', '-i', `color=s=${width}x${height}:r=1:d=1,format=gray,geq=lum='22+220*(X/W+Y/H)/2'`];
}

function previewSize({ width, height }: { width: number; height: number }): { width: number; height: number } {
  const scale = PREVIEW_SIDE / Math.max(width, height);
  const side = (length: number) => Math.max(2, Math.round((length * scale) / 2) * 2);
  return { width: side(width), height: side(height) };
}
