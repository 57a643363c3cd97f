import { mkdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type {
  EncodedLadder,
  EncodedChunkRendition,
  EncodedRendition,
  EncodedStoryboard,
  ExtractedSubtitles,
  EncodeChunkRequest,
  EncodeRequest,
  JoinRequest,
  SandboxKind,
  SourceProbe,
  SubtitlesRequest,
  Transcoder,
} from '../../ports/transcoder.js';
import { MAX_SEGMENT_SECONDS, type PacketScan, type PacketScanRequest } from '../../ports/packets.js';
import { renditionFolder } from '../../ports/transcoder.js';
import { boundariesOf } from './chunks/alignment.js';
import { placeLogo } from './pictures/brandOverlay.js';
import type { ChildResult } from './sandbox/childProcess.js';
import type { Programs } from './sandbox/detectSandbox.js';
import { detectSandbox, findPrograms } from './sandbox/detectSandbox.js';
import { encodeArguments } from './encode/encodeArguments.js';
import { damaged, encodeFailure, refuseCutOutput, refuseShortOutput, wantedMs } from './encode/encodeFailure.js';
import { encodesWebp, type FfmpegBuild } from './sandbox/ffmpegBuild.js';
import { levelTracks } from './encode/loudness.js';
import { FIRST_SEGMENT_FILE, INIT_FILE } from './encode/outputFormat.js';
import { SimilarityReader } from './encode/similarity.js';
import { joinShortEnd } from './mp4/joinShortEnd.js';
import { separateInit } from './mp4/separateInit.js';
import { recipeOf, withMaking } from './encode/making.js';
import { joinChunks } from './chunks/joinChunks.js';
import { withKeyFrames } from './probe/keyFrames.js';
import { measureRendition } from './encode/measureRendition.js';
import { ladderCap, SMALL_OUTPUT } from './sandbox/outputCap.js';
import * as chunks from './chunks/chunks.js';
import { scanPackets } from './probe/packetScan.js';
import { choosePoster } from './pictures/ffmpegPosterTools.js';
import { ProgressReader } from './sandbox/progress.js';
import type { RunTool } from './probe/runTool.js';
import { probeSource } from './probe/prober.js';
import { PINNED_PRESET } from './probe/profiles.js';
import { runConfined } from './sandbox/runConfined.js';
import type { RunProgram } from './sandbox/runProgram.js';
import { sandboxKind, type Limits, type Sandbox } from './sandbox/sandbox.js';
import { latestStartSeconds, stallWatch } from './sandbox/stallWatch.js';
import * as storyboards from './pictures/storyboard.js';
import { extractSubtitles } from './probe/subtitles.js';

export interface FfmpegTranscoderOptions {
  /** Absolute path or name; by default, `ffmpeg` on the search path. */
  ffmpegPath?: string | undefined;
  /** Folders to search for programs, separated as in PATH. */
  searchPath?: string | undefined;
  /** x264 preset: faster ones cost bits, not correctness. Default `veryfast`. */
  preset?: string | undefined;
  /** Per encoder; 0, the default, leaves it to x264. */
  threads?: number | undefined;
  /** Maximum source length in seconds. Default 12 hours. */
  maxDurationSeconds?: number | undefined;
  /** Maximum address space of one encode. Default 4 GiB plus 1 GiB per core, because threads reserve much. */
  maxMemoryBytes?: number | undefined;
  /** Seconds that each second of media may take, in addition to ten minutes. Default 120. */
  timeoutFactor?: number | undefined;
  /** For tests of a machine without bubblewrap. Default true. */
  useBwrap?: boolean | undefined;
}

const DEFAULT_SEARCH_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const GIB = 1024 ** 3;
const BASE_TIMEOUT_SECONDS = 600;
const CPU_GRACE_SECONDS = 60;
/** Far more than a segment of four seconds, whatever VBV lets pass. */
const MAX_FILE_BYTES = 512 * 1024 ** 2;
/**
 * Enough for the index of half a day at any rate, and independent of the number of cores: probes have no memory budget.
 */
const PROBE_MEMORY_BYTES = 2 * GIB;

/**
 * The transcoder based on ffmpeg and ffprobe, each run in the strictest sandbox that the machine allows.
 * @throws TranscoderUnavailableError if no ffmpeg starts
 */
export async function createFfmpegTranscoder(options: FfmpegTranscoderOptions = {}): Promise<Transcoder> {
  const searchPath = options.searchPath ?? DEFAULT_SEARCH_PATH;
  const programs = await findPrograms(options.ffmpegPath, searchPath);
  const asRoot = process.getuid?.() === 0;
  const { sandbox, build } = await detectSandbox(programs, { searchPath, asRoot, useBwrap: options.useBwrap ?? true });
  return new FfmpegTranscoder(programs, sandbox, {
    preset: options.preset ?? PINNED_PRESET,
    ...build,
    threads: options.threads ?? 0,
    maxDurationSeconds: options.maxDurationSeconds ?? 12 * 3_600,
    maxMemoryBytes: options.maxMemoryBytes ?? (4 + availableParallelism()) * GIB,
    timeoutFactor: options.timeoutFactor ?? 120,
  });
}

interface Settings extends FfmpegBuild {
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

  private webp: Promise<boolean> | null = null;

  private readonly runFfmpeg: RunProgram = (paths, toArguments, run) =>
    this.run(this.programs.ffmpeg, paths, toArguments, run);
  private readonly runFfprobe: RunProgram = (paths, toArguments, run) =>
    this.run(this.programs.ffprobe, paths, toArguments, run, PROBE_MEMORY_BYTES);

  describeSandbox(): SandboxKind {
    return sandboxKind(this.sandbox);
  }

  canToneMap(): boolean {
    return this.settings.toneMaps;
  }

  async probe(sourcePath: string, options: { signal?: AbortSignal } = {}): Promise<SourceProbe> {
    const ffprobe: RunTool = (toArguments, run) =>
      this.runFfprobe({ inputPath: sourcePath, outputDir: null }, toArguments, { ...run, signal: options.signal });
    const probe = await probeSource(sourcePath, ffprobe, this.settings.maxDurationSeconds);
    options.signal?.throwIfAborted();
    return probe;
  }

  scanPackets(request: PacketScanRequest): Promise<PacketScan> {
    const paths = { inputPath: request.sourcePath, outputDir: null };
    return scanPackets(request, (toArguments, run) =>
      this.runFfprobe(paths, toArguments, { ...run, signal: request.signal }),
    );
  }

  async encode(request: EncodeRequest): Promise<EncodedLadder> {
    const { sourcePath, probe, renditions, outputDir, signal } = request;
    const { packets = null, boundaries = null, besidePicture = false } = request;
    for (const rendition of renditions) {
      await mkdir(join(outputDir, renditionFolder(rendition)), { recursive: true });
    }
    const hasPicture = renditions.some(({ quality }) => quality !== 'audio');
    const pictures = probe.video !== null && (request.pictures ?? hasPicture);
    const storyboard = pictures ? storyboards.planStoryboard(probe) : null;
    if (storyboard !== null) {
      await mkdir(join(outputDir, storyboards.STORYBOARD_DIR), { recursive: true });
    }
    const brand = hasPicture ? (request.brand ?? null) : null;
    if (brand !== null) {
      await placeLogo(outputDir, brand.logo);
    }
    // Before the sound is measured, which may take minutes and would be lost with a failure.
    const previews = storyboard !== null && (await this.encodesWebp());
    const levelings = await levelTracks(request, this.runFfmpeg, this.timeoutSecondsOf(probe));
    const reader = new ProgressReader(probe.durationMs, (progress) => {
      request.onProgress?.(progress);
    });
    const similarity = new SimilarityReader();
    const { preset, threads, toneMaps } = this.settings;
    const result = await this.run(
      this.programs.ffmpeg,
      { inputPath: sourcePath, outputDir },
      (paths) =>
        encodeArguments({
          ...paths,
          probe,
          renditions,
          preset,
          threads,
          pictures,
          besidePicture,
          storyboard,
          brand,
          levelings,
          packets,
          boundaries,
          toneMaps,
          previews,
        }),
      {
        onStdout: (text) => reader.add(text),
        keepsLine: similarity.readsLine,
        timeoutSeconds: this.timeoutSecondsOf(probe),
        watch: stallWatch(() => reader.writtenSeconds, latestStartSeconds(probe)),
        output: ladderCap(probe, renditions),
        signal,
      },
    );
    if (result.exitCode !== 0) {
      throw encodeFailure(result);
    }
    request.onProgress?.({ step: 'measuring', percent: 99, etaSeconds: 0, speed: null });
    const ladder = await this.measure(request, result);
    const durationMs = ladder.durationMs || probe.durationMs;
    const indexed = storyboard && (await this.index(request, storyboard, durationMs));
    return {
      ...ladder,
      renditions: withMaking(ladder.renditions, renditions, similarity.found, this.settings),
      storyboard: indexed,
      sizeBytes: ladder.sizeBytes + (indexed?.sizeBytes ?? 0),
    };
  }

  /** Asks again after a failure. */
  private async encodesWebp(): Promise<boolean> {
    this.webp ??= encodesWebp(this.programs.ffmpeg);
    try {
      return await this.webp;
    } catch (error) {
      this.webp = null;
      throw error;
    }
  }

  canCut(source: Pick<EncodeRequest, 'sourcePath' | 'probe' | 'signal'>): Promise<boolean> {
    return chunks.canCut(this.chunkTools(), source);
  }

  encodeChunk(request: EncodeChunkRequest): Promise<EncodedChunkRendition[]> {
    return chunks.encodeChunk(this.chunkTools(), request);
  }

  joinChunks(request: JoinRequest): Promise<EncodedRendition[]> {
    return joinChunks(request);
  }

  readonly recipeOf: Transcoder['recipeOf'] = (rendition) => recipeOf(rendition, this.settings);

  private chunkTools(): chunks.ChunkTools {
    return {
      ...this.settings,
      timeoutSecondsOf: (video) => this.timeoutSecondsOf(video),
      runFfmpeg: this.runFfmpeg,
      runFfprobe: this.runFfprobe,
    };
  }

  private timeoutSecondsOf({ durationMs }: Pick<SourceProbe, 'durationMs'>): number {
    return BASE_TIMEOUT_SECONDS + (durationMs / 1_000) * this.settings.timeoutFactor;
  }

  /** Adds the keyframe index. The video plays without one, so failures are ignored. @throws only the signal's reason */
  private async index(
    { outputDir, signal }: EncodeRequest,
    plan: storyboards.StoryboardPlan,
    durationMs: number,
  ): Promise<EncodedStoryboard | null> {
    try {
      return await storyboards.writeIndex(outputDir, plan, durationMs);
    } catch {
      signal?.throwIfAborted();
      return null;
    }
  }

  private async measure(request: EncodeRequest, result: ChildResult): Promise<Omit<EncodedLadder, 'storyboard'>> {
    const { outputDir, probe, renditions } = request;
    const hasBoundaries = request.packets !== undefined || request.boundaries !== undefined;
    const encoded: EncodedRendition[] = [];
    for (const rendition of renditions) {
      if (rendition.quality !== 'audio' && rendition.passthrough === true) {
        const folder = join(outputDir, rendition.quality);
        await separateInit(join(folder, INIT_FILE), join(folder, FIRST_SEGMENT_FILE));
        await joinShortEnd(folder);
      }
      const measured = await measureRendition(outputDir, rendition, hasBoundaries ? MAX_SEGMENT_SECONDS : 1);
      encoded.push(request.keyFrames ? await withKeyFrames(outputDir, measured) : measured);
    }
    // Padding makes sound beside a picture, and further tracks, as long as requested, whatever the file held. So they
    // prove nothing.
    const pictured = encoded.filter(({ quality }) => quality !== 'audio');
    const whole = pictured.length > 0 ? pictured : encoded.filter(({ track = 1 }) => track === 1);
    const durationMs = Math.max(0, ...whole.map((rendition) => rendition.durationMs));
    const { stderrTail } = result;
    if (!request.besidePicture)
      refuseShortOutput({ wantedMs: wantedMs(probe, renditions), gotMs: durationMs }, stderrTail);
    refuseCutOutput(probe, durationMs, stderrTail);
    // No player would start it.
    if (encoded.some((rendition) => rendition.durationMs === 0)) throw damaged(stderrTail);

    const poster = await choosePoster(outputDir);
    const sizes = [...encoded.map((rendition) => rendition.sizeBytes), poster?.sizeBytes ?? 0];
    const boundaries = await boundariesOf(request, encoded);
    return {
      renditions: encoded,
      ...(boundaries && { boundaries }),
      posterPath: poster?.path ?? null,
      durationMs,
      sizeBytes: sizes.reduce((sum, size) => sum + size, 0),
    };
  }

  subtitles(request: SubtitlesRequest): Promise<ExtractedSubtitles[]> {
    return extractSubtitles(request, this.runFfmpeg);
  }

  private run(
    program: string,
    paths: Parameters<RunProgram>[0],
    toArguments: Parameters<RunProgram>[1],
    run: Parameters<RunProgram>[2],
    maxMemoryBytes = this.settings.maxMemoryBytes,
  ): Promise<ChildResult> {
    const limits: Limits = {
      addressSpaceBytes: maxMemoryBytes,
      // Our own clock must fire first: a kernel kill looks like a machine that is short of memory.
      cpuSeconds: run.cpuSeconds ?? (run.timeoutSeconds + CPU_GRACE_SECONDS) * availableParallelism(),
      fileSizeBytes: run.maxFileBytes ?? MAX_FILE_BYTES,
    };
    return runConfined(this.sandbox, { output: SMALL_OUTPUT, ...run, ...paths, program, toArguments, limits });
  }
}
