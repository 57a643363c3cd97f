import { constants } from 'node:os';
import { mkdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExtractedSubtitles, SourceProbe, SourceSubtitles, SubtitlesRequest } from '../../../ports/transcoder.js';
import type { ChildResult } from '../sandbox/childProcess.js';
import { inputArguments, READ_BYTES_PER_SECOND } from './ffmpegInput.js';
import type { RunProgram } from '../sandbox/runProgram.js';

/** Maximum size of one track as WebVTT. Three hours of speech need a quarter of it. */
const MAX_SUBTITLES_BYTES = 1_000_000;
const BASE_TIMEOUT_SECONDS = 60;
/**
 * Processor time besides reading: speech takes less than one second. ffmpeg's time grows with the square of a cue's size,
 * so that one of 3 MB would keep a core busy for a minute.
 */
const BASE_CPU_SECONDS = 10;
/** What a slow core demuxes. */
const DEMUXED_BYTES_PER_CPU_SECOND = 100_000_000;
/** Of a program that was killed by its limit of processor time, or for lack of memory. */
const KILLED = 128 + constants.signals.SIGKILL;

/** Time limit for reading the whole file. */
function subtitlesTimeoutSeconds({ sizeBytes }: Pick<SourceProbe, 'sizeBytes'>): number {
  return BASE_TIMEOUT_SECONDS + sizeBytes / READ_BYTES_PER_SECOND;
}

/** Extracts all subtitle tracks that can be read. @throws only the signal's reason */
export async function extractSubtitles(
  { sourcePath, probe, outputDir, signal }: SubtitlesRequest,
  runFfmpeg: RunProgram,
): Promise<ExtractedSubtitles[]> {
  const tracks = probe.subtitles ?? [];
  if (tracks.length === 0) {
    return [];
  }
  await mkdir(outputDir, { recursive: true });
  const timeoutSeconds = subtitlesTimeoutSeconds(probe);
  const deadlineMs = performance.now() + timeoutSeconds * 1_000;
  const read = (some: typeof tracks): Promise<ChildResult> =>
    runFfmpeg({ inputPath: sourcePath, outputDir }, (paths) => subtitlesArguments(probe, some, paths), {
      onStdout: () => undefined,
      timeoutSeconds,
      cpuSeconds: BASE_CPU_SECONDS + probe.sizeBytes / DEMUXED_BYTES_PER_CPU_SECOND,
      signal,
      maxFileBytes: MAX_SUBTITLES_BYTES,
    });
  try {
    const whole = await read(tracks);
    if (whole.exitCode === 0) {
      return await readSubtitles(outputDir, tracks);
    }
    // One bad track fails the whole run. Then extract each by itself, unless the time ran out.
    const good: ExtractedSubtitles[] = [];
    for (const track of !isKilled(whole) && tracks.length > 1 ? tracks : []) {
      const one = await read([track]);
      if (isKilled(one) || performance.now() > deadlineMs) {
        break;
      }
      good.push(...(one.exitCode === 0 ? await readSubtitles(outputDir, [track]) : []));
    }
    return good;
  } catch {
    signal?.throwIfAborted();
    return [];
  }
}

function isKilled({ exitCode, killedFor }: ChildResult): boolean {
  return killedFor !== null || exitCode === KILLED;
}

/** One ffmpeg that writes each track to its own file, named by its stream. */
function subtitlesArguments(
  probe: SourceProbe,
  tracks: readonly SourceSubtitles[],
  paths: { inputPath: string; outputDir: string },
): string[] {
  return [
    ['-hide_banner', '-nostdin', '-y', '-loglevel', 'error'],
    ...inputArguments(probe.container, paths.inputPath),
    ...tracks.flatMap(({ streamIndex }) => [
      ['-map', `0:${streamIndex}`, '-map_metadata', '-1', '-map_chapters', '-1'],
      ['-t', (probe.durationMs / 1_000).toFixed(3), '-c:s', 'webvtt', '-f', 'webvtt'],
      [`${paths.outputDir}/${fileOf(streamIndex)}`],
    ]),
  ].flat();
}

/** The tracks that were written and are not too long. */
async function readSubtitles(outputDir: string, tracks: readonly SourceSubtitles[]): Promise<ExtractedSubtitles[]> {
  const found: ExtractedSubtitles[] = [];
  for (const { streamIndex, language, title, isForced = false, isSdh = false } of tracks) {
    const path = join(outputDir, fileOf(streamIndex));
    const size = (await stat(path).catch(() => null))?.size ?? 0;
    if (size === 0 || size >= MAX_SUBTITLES_BYTES) continue;
    found.push({ language, title, isForced, isSdh, text: await readFile(path, 'utf8') });
  }
  return found;
}

function fileOf(streamIndex: number): string {
  return `track_${streamIndex}.vtt`;
}
