import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import type { AudioRendition, EncodeRequest, SourceAudio } from '../../../ports/transcoder.js';
import { soundsOf } from '../../../ports/transcoder.js';
import { inputArguments } from '../probe/ffmpegInput.js';
import { ladderCap } from '../sandbox/outputCap.js';
import { ProgressReader } from '../sandbox/progress.js';
import type { RunProgram } from '../sandbox/runProgram.js';
import { latestStartSeconds, stallWatch } from '../sandbox/stallWatch.js';
import { soundEncoder } from './audioOutput.js';
import { encodeFailure } from './encodeFailure.js';
import { Leveler, levelingFilters, type Leveling, type Loudness } from './leveling.js';
import { mixdown } from './mixdown.js';

/** How much of ffmpeg's log is kept: a summary is 400 characters, and there are at most 16 tracks. */
const SUMMARIES_CHARS = 32_000;
/** Anything quieter is below the standard's gate: there is nothing to measure. */
const SILENCE_LUFS = -69.9;
/** Holds a track of each trial: a file of ours, so every format that keeps AAC will do. */
const TRIAL_FILE = 'trial.mka';

interface Track {
  readonly track: number;
  readonly sound: SourceAudio;
  readonly rendition: AudioRendition;
}

/**
 * Finds how the tracks with a target reach it, by rendition track; null for those that are silent or too short to
 * measure. Reads the source once, and again for each trial of tracks with strong peaks.
 * @throws EncodeFailedError
 */
export async function levelTracks(
  request: EncodeRequest,
  runFfmpeg: RunProgram,
  timeoutSeconds: number,
): Promise<Map<number, Leveling | null>> {
  const tracks = tracksToLevel(request);
  if (tracks.length === 0) return new Map();
  const meter = new Meter(request, runFfmpeg, timeoutSeconds);
  const measured = await meter.listen(tracks);
  const levelers = new Map(
    tracks.map(({ track, rendition }) => {
      const loudness = measured.get(track);
      return [track, loudness ? new Leveler(rendition.loudness!, loudness) : null];
    }),
  );
  for (;;) {
    const open = tracks.filter(({ track }) => levelers.get(track)?.needsTrial === true);
    if (open.length === 0) break;
    const heard = await meter.tryOut(open, (track) => levelers.get(track)!.leveling);
    for (const { track } of open) levelers.get(track)!.correct(heard.get(track) ?? null);
  }
  return new Map([...levelers].map(([track, leveler]) => [track, leveler?.leveling ?? null]));
}

function tracksToLevel({ probe, renditions }: EncodeRequest): Track[] {
  const sounds = soundsOf(probe);
  return renditions.flatMap((rendition) => {
    if (rendition.quality !== 'audio' || rendition.loudness === undefined) return [];
    const { track = 1 } = rendition;
    const sound = sounds[track - 1];
    return sound === undefined ? [] : [{ track, sound, rendition }];
  });
}

/** Measures tracks of the source, or of a trial. Each has its own meter, named by its number. */
class Meter {
  constructor(
    private readonly request: EncodeRequest,
    private readonly runFfmpeg: RunProgram,
    private readonly timeoutSeconds: number,
  ) {}

  /** The source's tracks as they will be encoded, mixed down to stereo. */
  listen(tracks: readonly Track[]): Promise<Map<number, Loudness | null>> {
    const { sourcePath, probe } = this.request;
    const read = tracks.map(({ sound }) => sound);
    return this.measure(
      sourcePath,
      (inputPath) => inputArguments(probe.container, inputPath),
      tracks.map(({ track, sound, rendition }) => ({
        track,
        from: `0:${sound.streamIndex}`,
        filters: mixdown(sound, rendition.sampleRate, { probe, read }),
      })),
    );
  }

  /** Encodes tracks as they would be, and measures what viewers would hear. */
  async tryOut(
    tracks: readonly Track[],
    levelingOf: (track: number) => Leveling,
  ): Promise<Map<number, Loudness | null>> {
    const { sourcePath, probe, outputDir } = this.request;
    const read = tracks.map(({ sound }) => sound);
    const output = ladderCap(
      probe,
      tracks.map(({ rendition }) => rendition),
    );
    const encoders = tracks.flatMap(({ track, sound, rendition }, index) => {
      const filters = [
        ...mixdown(sound, rendition.sampleRate, { probe, read }),
        ...levelingFilters(levelingOf(track), rendition.sampleRate),
      ];
      return [
        '-map',
        `0:${sound.streamIndex}`,
        `-filter:a:${index}`,
        filters.join(','),
        ...soundEncoder(rendition, index),
      ];
    });
    const trialPath = join(outputDir, TRIAL_FILE);
    await this.run(
      { inputPath: sourcePath, outputDir },
      (paths) =>
        [
          ['-y', ...inputArguments(probe.container, paths.inputPath), ...encoders],
          ['-map_metadata', '-1', '-f', 'matroska', `${paths.outputDir}/${TRIAL_FILE}`],
        ].flat(),
      { output, maxFileBytes: output.maxBytes },
    );
    const heard = await this.measure(
      trialPath,
      (inputPath) => ['-f', 'matroska', '-i', `file:${inputPath}`],
      tracks.map(({ track }, index) => ({ track, from: `0:${index}`, filters: [] })),
    );
    await rm(trialPath);
    return heard;
  }

  private async measure(
    inputPath: string,
    inputOf: (inputPath: string) => string[],
    meters: readonly { track: number; from: string; filters: readonly string[] }[],
  ): Promise<Map<number, Loudness | null>> {
    const graph = meters.map(({ track, from, filters }) => {
      const meter = `ebur128@t${track}=peak=true:framelog=verbose`;
      return `[${from}]${[...filters, meter].join(',')}[m${track}]`;
    });
    const log = await this.run({ inputPath, outputDir: null }, (paths) => [
      ...inputOf(paths.inputPath),
      '-filter_complex',
      graph.join(';'),
      ...meters.flatMap(({ track }) => ['-map', `[m${track}]`, '-f', 'null', '-']),
    ]);
    return readSummaries(log);
  }

  /** @returns the end of ffmpeg's log */
  private async run(
    paths: Parameters<RunProgram>[0],
    toArguments: Parameters<RunProgram>[1],
    limits: Pick<Parameters<RunProgram>[2], 'output' | 'maxFileBytes'> = {},
  ): Promise<string> {
    const { probe, signal, onProgress } = this.request;
    const reader = new ProgressReader(probe.durationMs, ({ speed, etaSeconds }) => {
      onProgress?.({ step: 'listening', percent: 0, speed, etaSeconds });
    });
    // Summaries have the log level "info"; a line for each tenth of a second must not.
    const common = ['-hide_banner', '-nostdin', '-loglevel', 'info', '-nostats'];
    const result = await this.runFfmpeg(
      paths,
      (inside) => [...common, '-progress', 'pipe:1', '-stats_period', '0.5', ...toArguments(inside)],
      {
        onStdout: (text) => reader.add(text),
        timeoutSeconds: this.timeoutSeconds,
        watch: stallWatch(() => reader.writtenSeconds, latestStartSeconds(probe)),
        signal,
        stderrTailChars: SUMMARIES_CHARS,
        ...limits,
      },
    );
    if (result.exitCode !== 0) throw encodeFailure(result);
    return result.stderrTail;
  }
}

/** By track. Missing if ffmpeg reported nothing; null if it is silent or too short to measure. */
function readSummaries(log: string): Map<number, Loudness | null> {
  const found = new Map<number, Loudness | null>();
  for (const [, track = '', text = ''] of log.matchAll(/ebur128@t(\d+) @ [^\]]*\] Summary:([^[]*)/g)) {
    const value = (pattern: RegExp): number => Number.parseFloat(pattern.exec(text)?.[1] ?? '');
    const loudness = {
      integratedLufs: value(/\bI: +(\S+) LUFS/),
      truePeakDbtp: value(/Peak: +(\S+) dBFS/),
    };
    const isHeard = Object.values(loudness).every(Number.isFinite) && loudness.integratedLufs > SILENCE_LUFS;
    found.set(Number(track), isHeard ? loudness : null);
  }
  return found;
}
