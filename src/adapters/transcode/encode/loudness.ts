import type {
  AudioRendition,
  EncodeRequest,
  LoudnessTarget,
  SourceAudio,
  SourceProbe,
} from '../../../ports/transcoder.js';
import { soundsOf } from '../../../ports/transcoder.js';
import { encodeFailure } from './encodeFailure.js';
import { inputArguments } from '../probe/ffmpegInput.js';
import { mixdown } from './mixdown.js';
import { ProgressReader } from '../sandbox/progress.js';
import type { RunProgram } from '../sandbox/runProgram.js';
import { latestStartSeconds, stallWatch } from '../sandbox/stallWatch.js';

/** How much of ffmpeg's log is kept: a summary is 400 characters, and there are at most 16 tracks. */
const SUMMARIES_CHARS = 32_000;
/** A higher gain would amplify room noise; a whispered track stays quiet. */
const MAX_GAIN_DB = 24;
/** Anything quieter is below the standard's gate: there is nothing to measure. */
const SILENCE_LUFS = -69.9;
/** About what AAC adds to a peak. */
const RIPPLE_DB = 0.5;
const MIN_RANGE_LU = 0.1;
const USUAL_RANGE_LU = 11;
const MAX_RANGE_LU = 50;

/** EBU R 128 loudness of a whole track as it will be encoded, mixed down to stereo. */
export interface Loudness {
  integratedLufs: number;
  thresholdLufs: number;
  rangeLu: number;
  truePeakDbtp: number;
}

/** Measures the tracks whose loudness is normalized, by rendition track. @throws EncodeFailedError */
export async function measureLoudness(
  { sourcePath, probe, renditions, signal, onProgress }: EncodeRequest,
  runFfmpeg: RunProgram,
  timeoutSeconds: number,
): Promise<Map<number, Loudness | null>> {
  const wanted = renditions
    .filter((rendition) => rendition.quality === 'audio')
    .filter((rendition) => rendition.loudness !== undefined);
  if (wanted.length === 0) {
    return new Map();
  }
  const reader = new ProgressReader(probe.durationMs, ({ speed, etaSeconds }) => {
    onProgress?.({ step: 'listening', percent: 0, speed, etaSeconds });
  });
  const result = await runFfmpeg(
    { inputPath: sourcePath, outputDir: null },
    ({ inputPath }) => listenArguments(probe, wanted, inputPath),
    {
      onStdout: (text) => reader.add(text),
      timeoutSeconds,
      watch: stallWatch(() => reader.writtenSeconds, latestStartSeconds(probe)),
      signal,
      stderrTailChars: SUMMARIES_CHARS,
    },
  );
  if (result.exitCode !== 0) {
    throw encodeFailure(result);
  }
  return readSummaries(result.stderrTail);
}

/** One ffmpeg that measures the tracks and writes nothing. Each track has its own meter, named by its number. */
function listenArguments(probe: SourceProbe, renditions: readonly AudioRendition[], inputPath: string): string[] {
  const sounds = soundsOf(probe);
  const meters = renditions.flatMap((rendition) => {
    const sound = sounds[(rendition.track ?? 1) - 1];
    return sound === undefined ? [] : [{ track: rendition.track ?? 1, sound, rendition }];
  });
  return [
    // Summaries have the log level "info"; a line for each tenth of a second must not.
    ['-hide_banner', '-nostdin', '-loglevel', 'info', '-nostats'],
    ['-progress', 'pipe:1', '-stats_period', '0.5'],
    ...inputArguments(probe.container, inputPath),
    ['-filter_complex', meters.map((meter) => meterFilter(meter)).join(';')],
    ...meters.map(({ track }) => ['-map', `[m${track}]`, '-f', 'null', '-']),
  ].flat();
}

function meterFilter({
  track,
  sound,
  rendition,
}: {
  track: number;
  sound: SourceAudio;
  rendition: AudioRendition;
}): string {
  const filters = [...mixdown(sound, rendition.sampleRate), `ebur128@t${track}=peak=true:framelog=verbose`];
  return `[0:${sound.streamIndex}]${filters.join(',')}[m${track}]`;
}

/** By track. Missing if ffmpeg reported nothing; null if it is silent or too short to measure. */
function readSummaries(log: string): Map<number, Loudness | null> {
  const found = new Map<number, Loudness | null>();
  for (const [, track = '', text = ''] of log.matchAll(/ebur128@t(\d+) @ [^\]]*\] Summary:([^[]*)/g)) {
    const value = (pattern: RegExp): number => Number.parseFloat(pattern.exec(text)?.[1] ?? '');
    const loudness = {
      integratedLufs: value(/\bI: +(\S+) LUFS/),
      thresholdLufs: value(/Threshold: +(\S+) LUFS/),
      rangeLu: value(/LRA: +(\S+) LU/),
      truePeakDbtp: value(/Peak: +(\S+) dBFS/),
    };
    const isHeard = Object.values(loudness).every(Number.isFinite) && loudness.integratedLufs > SILENCE_LUFS;
    found.set(Number(track), isHeard ? loudness : null);
  }
  return found;
}

/**
 * Normalizes a measured track: with one constant gain if its peaks allow it, otherwise with ffmpeg's limiter, so a
 * track with strong peaks stays quieter than its target. Without a range, the filter would ignore the measurement.
 */
export function loudnessFilter(target: LoudnessTarget, measured: Loudness): string {
  const { integratedLufs, thresholdLufs, rangeLu, truePeakDbtp } = measured;
  const wantedLufs = Math.min(target.integratedLufs, integratedLufs + MAX_GAIN_DB);
  const range = Math.max(MIN_RANGE_LU, rangeLu);
  return [
    `loudnorm=I=${wantedLufs.toFixed(1)}:TP=${target.truePeakDbtp - RIPPLE_DB}:linear=true`,
    `LRA=${Math.min(MAX_RANGE_LU, Math.max(USUAL_RANGE_LU, range)).toFixed(1)}`,
    `measured_I=${integratedLufs}:measured_TP=${truePeakDbtp}`,
    `measured_LRA=${range}:measured_thresh=${thresholdLufs}`,
  ].join(':');
}
