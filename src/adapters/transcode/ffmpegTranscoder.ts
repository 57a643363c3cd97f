import { mkdir, stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type {
  EncodedLadder,
  EncodedRung,
  EncodedStoryboard,
  ExtractedSubtitles,
  EncodeRequest,
  SandboxKind,
  SourceProbe,
  SubtitlesRequest,
  Transcoder,
} from '../../ports/transcoder.js';
import { rungFolder } from '../../ports/transcoder.js';
import { placeLogo } from './brandOverlay.js';
import type { ChildRequest, ChildResult } from './childProcess.js';
import { runChild } from './childProcess.js';
import type { Programs } from './detectSandbox.js';
import { detectSandbox, findPrograms } from './detectSandbox.js';
import { encodeArguments } from './encodeArguments.js';
import { PLAYLIST_FILE } from './encodePlan.js';
import { encodeFailure, refuseShortOutput } from './encodeFailure.js';
import { giveTree, letSandboxRead, reachableByOthers } from './fileAccess.js';
import { listenArguments, readSummaries, SUMMARIES_CHARS, type Loudness } from './loudness.js';
import { measureRung } from './measureRung.js';
import { choosePoster } from './poster.js';
import { ProgressReader } from './progress.js';
import type { RunTool } from './prober.js';
import { probeSource } from './prober.js';
import type { Limits, Sandbox } from './sandbox.js';
import { confine, SANDBOX_UID } from './sandbox.js';
import * as storyboards from './storyboard.js';
import { MAX_SUBTITLES_BYTES, readSubtitles, subtitlesArguments, subtitlesTimeoutSeconds } from './subtitles.js';

export interface FfmpegTranscoderOptions {
  /** Absolute path or name; without it, `ffmpeg` on the search path. */
  ffmpegPath?: string | undefined;
  /** Folders to look for programs in, separated as in PATH. */
  searchPath?: string | undefined;
  /** x264's: faster presets cost bits, not correctness. Default `veryfast`. */
  preset?: string | undefined;
  /** Per encoder; 0, the default, leaves it to x264. */
  threads?: number | undefined;
  /** Longest source that is accepted, in seconds. Default 12 hours. */
  maxDurationSeconds?: number | undefined;
  /** Address space of one encode. Default 4 GiB and 1 GiB for each core: threads reserve much. */
  maxMemoryBytes?: number | undefined;
  /** How many seconds of waiting a second of media may cost, besides ten minutes. Default 120. */
  timeoutFactor?: number | undefined;
  /** For tests of what a machine without bubblewrap does. Default true. */
  useBwrap?: boolean | undefined;
}

const DEFAULT_SEARCH_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const GIB = 1024 ** 3;
const BASE_TIMEOUT_SECONDS = 600;
const SHEETS_TIMEOUT_SECONDS = 60;
/** Nothing written for so long is a hang; x264 alone looks a second or two ahead. */
const STALL_SECONDS = 180;
/** No segment of four seconds comes near it, whatever VBV lets pass. */
const MAX_FILE_BYTES = 512 * 1024 ** 2;

/**
 * The transcoder over ffmpeg and ffprobe, each run in the strictest sandbox the machine allows.
 * @throws TranscoderUnavailableError when there is no ffmpeg that starts.
 */
export async function createFfmpegTranscoder(options: FfmpegTranscoderOptions = {}): Promise<Transcoder> {
  const searchPath = options.searchPath ?? DEFAULT_SEARCH_PATH;
  const programs = await findPrograms(options.ffmpegPath, searchPath);
  const sandbox = await detectSandbox(programs, {
    searchPath,
    asRoot: process.getuid?.() === 0,
    useBwrap: options.useBwrap ?? true,
  });
  return new FfmpegTranscoder(programs, sandbox, {
    preset: options.preset ?? 'veryfast',
    threads: options.threads ?? 0,
    maxDurationSeconds: options.maxDurationSeconds ?? 12 * 3_600,
    maxMemoryBytes: options.maxMemoryBytes ?? (4 + availableParallelism()) * GIB,
    timeoutFactor: options.timeoutFactor ?? 120,
  });
}

interface Settings {
  preset: string;
  threads: number;
  maxDurationSeconds: number;
  maxMemoryBytes: number;
  timeoutFactor: number;
}

class FfmpegTranscoder implements Transcoder {
  constructor(
    private readonly programs: Programs,
    private readonly sandbox: Sandbox,
    private readonly settings: Settings,
  ) {}

  describeSandbox(): SandboxKind {
    return this.sandbox.kind;
  }

  async probe(sourcePath: string, options: { signal?: AbortSignal } = {}): Promise<SourceProbe> {
    const ffprobe: RunTool = (toArguments, run) =>
      this.run(this.programs.ffprobe, { inputPath: sourcePath, outputDir: null }, toArguments, {
        ...run,
        signal: options.signal,
      });
    const probe = await probeSource(sourcePath, ffprobe, this.settings.maxDurationSeconds);
    options.signal?.throwIfAborted();
    return probe;
  }

  async encode(request: EncodeRequest): Promise<EncodedLadder> {
    const { sourcePath, probe, rungs, outputDir, signal } = request;
    for (const rung of rungs) {
      await mkdir(join(outputDir, rungFolder(rung)), { recursive: true });
    }
    const hasPicture = rungs.some(({ quality }) => quality !== 'audio');
    const storyboard = hasPicture ? storyboards.planStoryboard(probe) : null;
    if (storyboard !== null) {
      await mkdir(join(outputDir, storyboards.STORYBOARD_DIR), { recursive: true });
    }
    const brand = hasPicture ? (request.brand ?? null) : null;
    if (brand !== null) {
      await placeLogo(outputDir, brand.logo);
    }
    const loudness = await this.listen(request);
    const reader = new ProgressReader(probe.durationMs, (progress) => {
      request.onProgress?.(progress);
    });
    const { preset, threads } = this.settings;
    const result = await this.run(
      this.programs.ffmpeg,
      { inputPath: sourcePath, outputDir },
      (paths) => encodeArguments({ ...paths, probe, rungs, preset, threads, storyboard, brand, loudness }),
      {
        onStdout: (text) => reader.add(text),
        timeoutSeconds: this.timeoutSecondsOf(probe),
        watch: stallWatch(() => reader.writtenSeconds),
        signal,
      },
    );
    if (result.exitCode !== 0) {
      throw encodeFailure(result);
    }
    request.onProgress?.({ step: 'measuring', percent: 99, etaSeconds: 0, speed: null });
    const ladder = await this.measure(request, result);
    const pictures = storyboard && (await this.layOut(request, storyboard, ladder.durationMs));
    return { ...ladder, storyboard: pictures, sizeBytes: ladder.sizeBytes + (pictures?.sizeBytes ?? 0) };
  }

  /** How loud the tracks are that shall be brought to a loudness. */
  private async listen({
    sourcePath,
    probe,
    rungs,
    signal,
    onProgress,
  }: EncodeRequest): Promise<Map<number, Loudness | null>> {
    const wanted = rungs.filter((rung) => rung.quality === 'audio').filter((rung) => rung.loudness !== undefined);
    if (wanted.length === 0) {
      return new Map();
    }
    const reader = new ProgressReader(probe.durationMs, ({ speed, etaSeconds }) => {
      onProgress?.({ step: 'listening', percent: 0, speed, etaSeconds });
    });
    const result = await this.run(
      this.programs.ffmpeg,
      { inputPath: sourcePath, outputDir: null },
      ({ inputPath }) => listenArguments(probe, wanted, inputPath),
      {
        onStdout: (text) => reader.add(text),
        timeoutSeconds: this.timeoutSecondsOf(probe),
        watch: stallWatch(() => reader.writtenSeconds),
        signal,
        stderrTailChars: SUMMARIES_CHARS,
      },
    );
    if (result.exitCode !== 0) {
      throw encodeFailure(result);
    }
    return readSummaries(result.stderrTail);
  }

  private timeoutSecondsOf({ durationMs }: SourceProbe): number {
    return BASE_TIMEOUT_SECONDS + (durationMs / 1_000) * this.settings.timeoutFactor;
  }

  /** The film plays without it: whatever goes wrong, there is none. @throws only the signal's reason. */
  private async layOut(
    { outputDir, signal }: EncodeRequest,
    plan: storyboards.StoryboardPlan,
    durationMs: number,
  ): Promise<EncodedStoryboard | null> {
    const dir = join(outputDir, storyboards.STORYBOARD_DIR);
    const frames = join(dir, storyboards.FRAMES_FILE);
    try {
      const tiles = await storyboards.countFrames(frames);
      const { exitCode } = await this.run(
        this.programs.ffmpeg,
        { inputPath: frames, outputDir: dir },
        (paths) => storyboards.sheetArguments(plan, paths),
        { onStdout: () => undefined, timeoutSeconds: SHEETS_TIMEOUT_SECONDS, signal },
      );
      return exitCode === 0 ? await storyboards.writeIndex(outputDir, plan, { tiles, durationMs }) : null;
    } catch {
      signal?.throwIfAborted();
      return null;
    }
  }

  private async measure(request: EncodeRequest, result: ChildResult): Promise<Omit<EncodedLadder, 'storyboard'>> {
    const { outputDir, probe, rungs } = request;
    const encoded: EncodedRung[] = [];
    for (const rung of rungs) {
      encoded.push(await measureRung(outputDir, rung));
    }
    // Further tracks are as long as was asked for, whatever was in the file.
    const whole = encoded.filter(({ track = 1 }) => track === 1);
    const durationMs = Math.max(...whole.map((rung) => rung.durationMs));
    refuseShortOutput({ wantedMs: probe.durationMs, gotMs: durationMs }, result.stderrTail);

    const poster = await choosePoster(outputDir);
    const playlists = rungs.map((rung) => stat(join(outputDir, rungFolder(rung), PLAYLIST_FILE)));
    const sizes = [
      ...encoded.map((rung) => rung.sizeBytes),
      ...(await Promise.all(playlists)).map((stats) => stats.size),
      poster?.sizeBytes ?? 0,
    ];
    return {
      rungs: encoded,
      posterPath: poster?.path ?? null,
      durationMs,
      sizeBytes: sizes.reduce((sum, size) => sum + size, 0),
    };
  }

  async subtitles({ sourcePath, probe, outputDir, signal }: SubtitlesRequest): Promise<ExtractedSubtitles[]> {
    const tracks = probe.subtitles ?? [];
    if (tracks.length === 0) {
      return [];
    }
    await mkdir(outputDir, { recursive: true });
    const timeoutSeconds = subtitlesTimeoutSeconds(probe);
    const deadlineMs = performance.now() + timeoutSeconds * 1_000;
    const read = async (some: typeof tracks): Promise<ChildResult> =>
      this.run(
        this.programs.ffmpeg,
        { inputPath: sourcePath, outputDir },
        (paths) => subtitlesArguments(probe, some, paths),
        {
          onStdout: () => undefined,
          timeoutSeconds,
          signal,
          maxFileBytes: MAX_SUBTITLES_BYTES,
        },
      );
    try {
      const whole = await read(tracks);
      if (whole.exitCode === 0) {
        return await readSubtitles(outputDir, tracks);
      }
      // One bad track ends them all: then each by itself, unless it is time that was missing.
      const good: ExtractedSubtitles[] = [];
      for (const track of whole.killedFor === null && tracks.length > 1 ? tracks : []) {
        const { exitCode, killedFor } = await read([track]);
        if (killedFor !== null || performance.now() > deadlineMs) {
          break;
        }
        good.push(...(exitCode === 0 ? await readSubtitles(outputDir, [track]) : []));
      }
      return good;
    } catch {
      signal?.throwIfAborted();
      return [];
    }
  }

  /** Runs a program on one input and perhaps one output folder, which is ours again afterwards. */
  private async run(
    program: string,
    paths: { inputPath: string; outputDir: string | null },
    toArguments: (inside: { inputPath: string; outputDir: string }) => string[],
    run: Pick<ChildRequest, 'onStdout' | 'timeoutSeconds' | 'watch' | 'signal' | 'stderrTailChars'> & {
      maxFileBytes?: number;
    },
  ): Promise<ChildResult> {
    const { inputPath, outputDir } = paths;
    const limits: Limits = {
      addressSpaceBytes: this.settings.maxMemoryBytes,
      cpuSeconds: run.timeoutSeconds * availableParallelism(),
      fileSizeBytes: run.maxFileBytes ?? MAX_FILE_BYTES,
    };
    const reachable =
      (await reachableByOthers(inputPath)) && (outputDir === null || (await reachableByOthers(outputDir)));
    const confined = confine(this.sandbox, { program, inputPath, outputDir, limits, reachable });
    if (confined.dropsUser) {
      await letSandboxRead(inputPath);
      if (outputDir !== null) {
        await giveTree(outputDir, SANDBOX_UID, SANDBOX_UID);
      }
    }
    try {
      return await runChild({
        ...run,
        argv: [...confined.argv, ...toArguments(confined)],
        // Few malloc arenas: a hundred threads would otherwise reserve 64 MB each.
        env: { LC_ALL: 'C', HOME: '/', MALLOC_ARENA_MAX: '8' },
      });
    } finally {
      if (confined.dropsUser && outputDir !== null) {
        await giveTree(outputDir, process.getuid?.() ?? 0, process.getgid?.() ?? 0);
      }
    }
  }
}

/** Counts the seconds in which nothing was written; asked once a second. */
function stallWatch(writtenSeconds: () => number): () => string | null {
  let last = -1;
  let idleSeconds = 0;
  return () => {
    const now = writtenSeconds();
    idleSeconds = now > last ? 0 : idleSeconds + 1;
    last = now;
    return idleSeconds >= STALL_SECONDS ? 'stall' : null;
  };
}
