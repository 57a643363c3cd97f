import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UnusablePictureError, type PosterTools } from '../../../ports/posters.js';
import { TranscoderUnavailableError } from '../../../ports/transcoder.js';
import type { ChildResult } from '../sandbox/childProcess.js';
import { OWN_PICTURE_DECODERS } from '../sandbox/decoders.js';
import { inputArguments, MAX_PIXELS } from '../probe/ffmpegInput.js';
import { exifOrientation } from '../probe/exifOrientation.js';
import { sandboxComplained } from '../sandbox/sandbox.js';
import { reachedLimit, SmallFfmpeg, type SmallFfmpegOptions } from '../sandbox/smallFfmpeg.js';

/** The size of posters that processing chooses. */
const LONG_SIDE = 1280;
const OUTPUT_FILE = 'poster.jpg';
const SOURCE_FILE = 'source';
/** What processing chooses from. */
const CANDIDATE = /^poster_\d+\.jpg$/;

const FORMATS = [
  { magic: 'ffd8ff', demuxer: 'jpeg_pipe', decoder: 'mjpeg' },
  { magic: '89504e470d0a1a0a', demuxer: 'png_pipe', decoder: 'png' },
] as const;

/** Filters that turn and mirror a picture upright, by its EXIF orientation. */
const UPRIGHT: Readonly<Record<number, string>> = {
  2: 'hflip',
  3: 'hflip,vflip',
  4: 'vflip',
  5: 'transpose=0',
  6: 'transpose=1',
  7: 'transpose=3',
  8: 'transpose=2',
};

/** Poster tools based on ffmpeg, with one demuxer and one decoder, pinned by the file's first bytes. */
export class FfmpegPosterTools implements PosterTools {
  private readonly ffmpeg: SmallFfmpeg;

  constructor(options: SmallFfmpegOptions) {
    this.ffmpeg = new SmallFfmpeg(options);
  }

  drawUpload(bytes: Uint8Array): Promise<Uint8Array> {
    const magic = Buffer.from(bytes.subarray(0, 8)).toString('hex');
    const format = FORMATS.find((known) => magic.startsWith(known.magic));
    if (format === undefined) {
      return Promise.reject(new UnusablePictureError('This is no JPEG or PNG picture.'));
    }
    const { demuxer, decoder } = format;
    const upright = UPRIGHT[decoder === 'mjpeg' ? exifOrientation(bytes) : 1];
    const filters = [
      ...(upright === undefined ? [] : [upright]),
      // Transparent areas become black, instead of showing the color underneath.
      ...(decoder === 'png' ? ['format=gbrap', 'premultiply=inplace=1', 'format=gbrp'] : []),
    ];
    const input = (path: string): string[] => [
      '-protocol_whitelist',
      'file,pipe',
      '-format_whitelist',
      demuxer,
      '-codec_whitelist',
      decoder,
      '-f',
      demuxer,
      '-noautorotate',
      '-i',
      `file:${path}`,
    ];
    const read = (): Promise<Uint8Array> => Promise.resolve(bytes);
    return this.draw(read, input, filters, (result) => {
      const message = reachedLimit(result)
        ? 'This picture takes too long to read.'
        : 'This picture is damaged, or larger than a poster can be: it could not be read.';
      return new UnusablePictureError(message, result.stderrTail);
    });
  }

  drawMoment(video: () => Promise<Uint8Array>, seconds: number): Promise<Uint8Array> {
    const input = (path: string): string[] => inputArguments('mp4', path, { decoders: OWN_PICTURE_DECODERS });
    // Half a millisecond early, because times get rounded.
    const at = Math.max(0, seconds - 0.0005).toFixed(4);
    // Extend the last frame: announced durations are a little longer than the pictures.
    const filters = ['tpad=stop_duration=1:stop_mode=clone', `select='gte(t,${at})'`];
    return this.draw(video, input, filters, (result) => {
      return new TranscoderUnavailableError(`No frame was drawn: ${result.killedFor ?? result.stderrTail.trim()}`);
    });
  }

  private draw(
    read: () => Promise<Uint8Array>,
    input: (path: string) => string[],
    filters: readonly string[],
    refusal: (result: ChildResult) => Error,
  ): Promise<Uint8Array> {
    return this.ffmpeg.inFolder(async (folder) => {
      const paths = { inputPath: join(folder, SOURCE_FILE), outputDir: join(folder, 'out') };
      await mkdir(paths.outputDir);
      await writeFile(paths.inputPath, await read());
      const result = await this.ffmpeg.run(paths, (inside) => drawArguments(input(inside.inputPath), filters, inside));
      if (sandboxComplained(result.stderrTail)) {
        throw new TranscoderUnavailableError(`The sandbox did not start: ${result.stderrTail.trim()}`);
      }
      const made = await readFile(join(paths.outputDir, OUTPUT_FILE)).catch(() => null);
      if (result.exitCode !== 0 || made === null || made.length === 0) throw refusal(result);
      return made;
    });
  }
}

function drawArguments(
  input: readonly string[],
  filters: readonly string[],
  { outputDir }: { outputDir: string },
): string[] {
  const fit = `scale=w='max(2,trunc(iw*sar*min(1,${LONG_SIDE}/max(iw*sar,ih))/2)*2)':h='max(2,trunc(ih*min(1,${LONG_SIDE}/max(iw*sar,ih))/2)*2)'`;
  return [
    ['-hide_banner', '-nostdin', '-y', '-loglevel', 'error', '-threads', '1', '-max_pixels', `${MAX_PIXELS}`],
    input,
    ['-map', '0:v:0', '-vf', [...filters, `${fit}:flags=bicubic:out_range=pc,setsar=1,format=yuvj420p`].join(',')],
    ['-frames:v', '1', '-map_metadata', '-1', '-bitexact', '-c:v', 'mjpeg', '-q:v', '3'],
    ['-f', 'image2', '-update', '1', `${outputDir}/${OUTPUT_FILE}`],
  ].flat();
}

/**
 * Keeps the best poster candidate and removes the others.
 *
 * The best one shows most detail, and JPEG size measures that: at equal quality, black frames, fades and titles are
 * small files.
 * @returns its name and size, or null if there was no candidate
 */
export async function choosePoster(outputDir: string): Promise<{ path: string; sizeBytes: number } | null> {
  const names = (await readdir(outputDir)).filter((name) => CANDIDATE.test(name));
  const candidates = await Promise.all(
    names.map(async (name) => ({ name, sizeBytes: (await stat(join(outputDir, name))).size })),
  );
  const [best, ...others] = candidates.toSorted((a, b) => b.sizeBytes - a.sizeBytes);
  if (best === undefined) {
    return null;
  }
  await rename(join(outputDir, best.name), join(outputDir, OUTPUT_FILE));
  await Promise.all(others.map(({ name }) => rm(join(outputDir, name))));
  return { path: OUTPUT_FILE, sizeBytes: best.sizeBytes };
}
