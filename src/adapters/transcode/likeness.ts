import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  PLAYLIST_FILE,
  type EncodeRequest,
  type Likeness,
  type Rung,
  type SourceVideo,
  type VideoRung,
} from '../../ports/transcoder.js';
import { brandFilters, logoInput, matrixOf, placeLogo } from './brandOverlay.js';
import { INIT_FILE } from './encodePlan.js';
import { inputArguments, MAX_PIXELS } from './ffmpegInput.js';
import { readPlaylist } from './measureRung.js';
import type { RunProgram } from './runProgram.js';
import type { Sample } from './samples.js';
import { frameFiltersOf, scaleFilters } from './videoOutput.js';

/** Of its own, so that giving it to the sandbox's user and back does not walk through a whole film. */
const WORK_DIR = 'likeness';
/** No divisor of the patterns in which encoders alternate good frames with cheap ones. */
const EVERY_NTH_FRAME = 5;
/** A demuxer may come out a little late; and deinterlacing needs neighbours. */
const LEAD_SECONDS = 1;
/**
 * A stream without an index is sought by its clock alone, and decoding begins with the keyframe after that: so far back
 * lies one, as encoders set them (x264: 250 frames).
 */
const CLOCK_LEAD_SECONDS = 12;
const TIMEOUT_SECONDS = 120;

/** A rung with the files of its segments; all rungs of a film are cut at the same borders. */
export interface ComparedRung {
  readonly rung: VideoRung;
  /** Absolute, as are the paths of its segments. */
  readonly initPath: string;
  readonly segments: readonly { readonly path: string; readonly durationSeconds: number }[];
}

/** What was encoded of a request, or of a part, with its segments where the encoder left them. */
export async function comparedRungs(rungs: readonly Rung[], outputDir: string): Promise<ComparedRung[]> {
  const encoded = rungs.flatMap((rung) => (rung.quality === 'audio' || rung.copy === true ? [] : [rung]));
  return Promise.all(encoded.map((rung) => withSegments(rung, join(outputDir, rung.quality))));
}

async function withSegments(rung: VideoRung, folder: string): Promise<ComparedRung> {
  const { segments } = readPlaylist(await readFile(join(folder, PLAYLIST_FILE), 'utf8'));
  return {
    rung,
    initPath: join(folder, INIT_FILE),
    segments: segments.map(({ path, durationSeconds }) => ({ path: join(folder, path), durationSeconds })),
  };
}

/**
 * How much the rungs look like the source, by SSIM over some frames of some segments: what was decoded of the source is
 * compared behind the same filters, frame by frame, at each rung's size.
 *
 * @returns of each rung, by its quality; nothing of a sample that could not be compared.
 * @throws only the signal's reason.
 */
export async function measureLikeness(
  { sourcePath, probe, brand, borders, outputDir, signal }: Omit<EncodeRequest, 'rungs'>,
  compared: readonly ComparedRung[],
  samples: readonly Sample[],
  runFfmpeg: RunProgram,
): Promise<Map<string, Likeness>> {
  const found = new Map<string, Likeness>();
  const { video } = probe;
  if (compared.length === 0 || samples.length === 0 || video === null) {
    return found;
  }
  const workDir = join(outputDir, WORK_DIR);
  try {
    await mkdir(workDir, { recursive: true });
    if (brand) {
      await placeLogo(workDir, brand.logo);
    }
    for (const sample of samples) {
      const rungs = compared.filter(({ segments }) => segments[sample.index] !== undefined);
      if (rungs.length === 0) continue;
      await Promise.all(rungs.map((rung) => joinSample(rung, sample, workDir)));
      const { exitCode } = await runFfmpeg(
        { inputPath: sourcePath, outputDir: workDir },
        (paths) =>
          compareArguments(
            { container: probe.container, video, brand: brand ?? null, fromPicture: borders !== undefined },
            rungs,
            sample,
            paths,
          ),
        { onStdout: () => undefined, timeoutSeconds: TIMEOUT_SECONDS, ...(signal && { signal }) },
      );
      if (exitCode === 0) {
        await Promise.all(rungs.map(({ rung }) => addFrames(found, rung, workDir)));
      }
    }
  } catch {
    signal?.throwIfAborted();
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
  return found;
}

/** A segment can be decoded by itself behind its init segment. */
async function joinSample({ rung, initPath, segments }: ComparedRung, { index }: Sample, dir: string): Promise<void> {
  const parts = await Promise.all([readFile(initPath), readFile(segments[index]!.path)]);
  await writeFile(join(dir, `${rung.quality}.mp4`), Buffer.concat(parts));
}

/**
 * The arguments of the ffmpeg that compares: the source is sought with its own timestamps kept, so that the common
 * frame rate falls on the same frames as it did from the beginning; frames are matched by their numbers in the film.
 */
function compareArguments(
  {
    container,
    video,
    brand,
    fromPicture,
  }: {
    container: EncodeRequest['probe']['container'];
    video: SourceVideo;
    brand: (EncodeRequest['brand'] & object) | null;
    fromPicture: boolean;
  },
  compared: readonly ComparedRung[],
  { startSeconds, seconds }: Sample,
  paths: { inputPath: string; outputDir: string },
): string[] {
  const rungs = compared.map(({ rung }) => rung);
  const { numerator, denominator } = rungs[0]!.frameRate;
  const firstFrame = Math.round((startSeconds * numerator) / denominator);
  const frames = Math.max(1, Math.floor((seconds * numerator) / denominator));
  const seekSeconds = Math.max(0, startSeconds - (container === 'mpegts' ? CLOCK_LEAD_SECONDS : LEAD_SECONDS));
  // A picture that starts late is held back at the beginning of the film, not at where it is sought.
  const asSought = seekSeconds > 0 && !fromPicture ? { ...video, startsAfterMs: 0 } : video;
  const some = `select='not(mod(pts,${EVERY_NTH_FRAME}))'`;
  const scaled = brand === null ? 'v' : 'p';
  const firstRung = brand === null ? 1 : 2;
  const branded = rungs.map((rung) => ({ ...rung, matrix: matrixOf(video.colorMatrix, rung.height) }));
  const graph = [
    [
      `[0:${video.streamIndex}]${frameFiltersOf(asSought, rungs[0]!.frameRate, { fromPicture }).join(',')}`,
      `trim=start_pts=${firstFrame}:end_pts=${firstFrame + frames}`,
      some,
      `split=${rungs.length}${rungs.map((_, index) => `[s${index}]`).join('')}`,
    ].join(','),
    ...rungs.map((rung, index) => `[s${index}]${scaleFilters(rung)}[${scaled}${index}]`),
    ...(brand === null ? [] : brandFilters(brand, branded, { from: scaled, to: 'v' })),
    ...rungs.flatMap((rung, index) => [
      `[${firstRung + index}:v]settb=${denominator}/${numerator},setpts=N+${firstFrame},${some}[e${index}]`,
      `[v${index}][e${index}]ssim=shortest=1:stats_file=${escaped(`${paths.outputDir}/${rung.quality}.log`)}[o${index}]`,
    ]),
  ].join(';');
  return [
    ['-hide_banner', '-nostdin', '-y', '-loglevel', 'error', '-max_pixels', `${MAX_PIXELS}`],
    ['-copyts', '-start_at_zero'],
    ...(seekSeconds > 0 ? ['-ss', seekSeconds.toFixed(6)] : []),
    ['-t', (startSeconds - seekSeconds + seconds + LEAD_SECONDS).toFixed(6)],
    ...inputArguments(container, paths.inputPath),
    ...(brand === null ? [] : logoInput(paths.outputDir)),
    ...rungs.flatMap((rung) => inputArguments('mp4', `${paths.outputDir}/${rung.quality}.mp4`)),
    ['-filter_complex', graph],
    ...rungs.flatMap((_, index) => ['-map', `[o${index}]`, '-f', 'null', '-']),
  ].flat();
}

/** For a value in a filter's options, inside a graph. */
function escaped(path: string): string {
  return path.replace(/[\\':]/g, '\\$&').replace(/[\\'[\],;]/g, '\\$&');
}

/** One line per compared frame: `n:1 Y:0.98 U:0.99 V:0.99 All:0.98 (19.2)`. */
async function addFrames(found: Map<string, Likeness>, { quality }: VideoRung, dir: string): Promise<void> {
  const text = await readFile(join(dir, `${quality}.log`), 'utf8');
  const values = [...text.matchAll(/ All:([\d.]+)/g)].map(([, value]) => Number(value));
  const before = found.get(quality);
  const all = meanLikeness([...(before ? [before] : []), ...values.map((ssim) => ({ ssim, frames: 1 }))]);
  if (all !== null) found.set(quality, all);
}

/** Of all frames together; null where there are none. */
export function meanLikeness(some: readonly Likeness[]): Likeness | null {
  const frames = some.reduce((total, one) => total + one.frames, 0);
  const sum = some.reduce((total, one) => total + one.ssim * one.frames, 0);
  return frames === 0 ? null : { ssim: sum / frames, frames };
}
