import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EncodedRung, EncodeRequest, Likeness, SourceVideo, VideoRung } from '../../ports/transcoder.js';
import { brandFilters, logoInput, matrixOf, placeLogo } from './brandOverlay.js';
import { PLAYLIST_FILE } from './encodePlan.js';
import { inputArguments, MAX_PIXELS } from './ffmpegInput.js';
import { readPlaylist } from './measureRung.js';
import type { RunProgram } from './runProgram.js';
import { frameFiltersOf, scaleFilters } from './videoOutput.js';

/** Of its own, so that giving it to the sandbox's user and back does not walk through a whole film. */
const WORK_DIR = 'likeness';
/** How much of a film is looked at: enough to tell, and a few hundredths of what its ladder costs. */
const SHARE = 0.15;
const MAX_SECONDS = 32;
const SAMPLE_SECONDS = 4;
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

/** A stretch of a film that begins with a segment. */
export interface Sample {
  /** The segment's place in its rung. */
  readonly index: number;
  readonly startSeconds: number;
  readonly seconds: number;
}

/** A rung with the files of its segments; all rungs of a film are cut at the same borders. */
export interface ComparedRung {
  readonly rung: VideoRung;
  /** Absolute, as are the paths of its segments. */
  readonly initPath: string;
  readonly segments: readonly { readonly path: string; readonly durationSeconds: number }[];
}

/** What was encoded of a request, with its segments where the encoder left them. */
export async function comparedRungs(
  { rungs, outputDir }: EncodeRequest,
  encoded: readonly EncodedRung[],
): Promise<ComparedRung[]> {
  const pictures = rungs.filter((rung) => rung.quality !== 'audio' && rung.copy !== true) as VideoRung[];
  return Promise.all(
    pictures.flatMap((rung) => {
      const made = encoded.find(({ quality }) => quality === rung.quality);
      return made ? [withSegments(rung, made, outputDir)] : [];
    }),
  );
}

async function withSegments(rung: VideoRung, made: EncodedRung, outputDir: string): Promise<ComparedRung> {
  const folder = join(outputDir, rung.quality);
  const { segments } = readPlaylist(await readFile(join(folder, PLAYLIST_FILE), 'utf8'));
  return {
    rung,
    initPath: join(outputDir, made.initPath),
    segments: segments.map(({ path, durationSeconds }) => ({ path: join(folder, path), durationSeconds })),
  };
}

/**
 * How much the rungs look like the source, by SSIM over some frames of some segments: what was decoded of the source is
 * compared behind the same filters, frame by frame, at each rung's size.
 *
 * @param startSeconds where in the film the first segment begins
 * @returns of each rung, by its quality; nothing of a sample that could not be compared.
 * @throws only the signal's reason.
 */
export async function measureLikeness(
  { sourcePath, probe, brand, borders, outputDir, signal }: EncodeRequest,
  compared: readonly ComparedRung[],
  runFfmpeg: RunProgram,
  startSeconds = 0,
): Promise<Map<string, Likeness>> {
  const found = new Map<string, Likeness>();
  const [first] = compared;
  const { video } = probe;
  if (first === undefined || video === null) {
    return found;
  }
  const workDir = join(outputDir, WORK_DIR);
  try {
    await mkdir(workDir, { recursive: true });
    if (brand) {
      await placeLogo(workDir, brand.logo);
    }
    for (const sample of chooseSamples(first.segments, startSeconds)) {
      const rungs = compared.filter(({ segments }) => segments[sample.index] !== undefined);
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

/** Evenly spread, each from the beginning of a segment; never two of one segment. */
export function chooseSamples(
  segments: readonly { readonly durationSeconds: number }[],
  startSeconds: number,
): Sample[] {
  const starts: number[] = [];
  let at = startSeconds;
  for (const { durationSeconds } of segments) {
    starts.push(at);
    at += durationSeconds;
  }
  const wantedSeconds = Math.min(MAX_SECONDS, (at - startSeconds) * SHARE);
  const count = Math.min(segments.length, Math.ceil(wantedSeconds / SAMPLE_SECONDS));
  return Array.from({ length: count }, (_, place) => {
    const index = Math.floor(((place + 0.5) * segments.length) / count);
    const seconds = Math.min(segments[index]!.durationSeconds, Math.max(1, wantedSeconds / count));
    return { index, startSeconds: starts[index]!, seconds };
  });
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
  const before = found.get(quality) ?? { ssim: 0, frames: 0 };
  const frames = before.frames + values.length;
  if (frames > 0) {
    const sum = values.reduce((total, value) => total + value, before.ssim * before.frames);
    found.set(quality, { ssim: sum / frames, frames });
  }
}
