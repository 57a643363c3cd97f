import type { RunProgram } from '../sandbox/runProgram.js';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  ChunkUnfitError,
  type EncodedChunkRendition,
  type EncodeChunkRequest,
  type EncodeRequest,
} from '../../../ports/transcoder.js';
import { placeLogo } from '../pictures/brandOverlay.js';
import { CutCheck, hasFindableMoments, packetArguments } from '../encode/cuttable.js';
import { encodeFailure, refuseCutOutput, refuseShortOutput } from '../encode/encodeFailure.js';
import { findSeek, finishChunk, readFirstFrame } from './encodeChunk.js';
import { SimilarityReader } from '../encode/similarity.js';
import { commonRate } from '../encode/frameSteps.js';
import { withMaking, type Encoder } from '../encode/making.js';
import { ladderCap } from '../sandbox/outputCap.js';
import { chunkArguments, commonFrames, firstFrameArguments, type ChunkEncodePlan } from './chunkArguments.js';
import { framesOf } from './chunkFrames.js';
import { ProgressReader } from '../sandbox/progress.js';
import { stallWatch } from '../sandbox/stallWatch.js';

export interface ChunkTools extends Encoder {
  readonly threads: number;
  readonly toneMaps: boolean;
  /** How long an encode of this much video may take. */
  readonly timeoutSecondsOf: (video: { durationMs: number }) => number;
  readonly runFfmpeg: RunProgram;
  readonly runFfprobe: RunProgram;
}

const SEEK_TIMEOUT_SECONDS = 120;

/** Reads all packets, unless the container's report is enough. */
export async function canCut(
  tools: Pick<ChunkTools, 'runFfprobe' | 'timeoutSecondsOf'>,
  { sourcePath, probe, signal }: Pick<EncodeRequest, 'sourcePath' | 'probe' | 'signal'>,
): Promise<boolean> {
  if (!hasFindableMoments(probe)) {
    return false;
  }
  const check = new CutCheck(probe);
  const { exitCode } = await tools.runFfprobe(
    { inputPath: sourcePath, outputDir: null },
    ({ inputPath }) => packetArguments(probe, inputPath),
    { onStdout: (text) => check.add(text), timeoutSeconds: tools.timeoutSecondsOf(probe), signal },
  );
  return exitCode === 0 && check.isCuttable;
}

/** @throws ChunkUnfitError, EncodeFailedError, TranscoderUnavailableError, the signal's reason */
export async function encodeChunk(tools: ChunkTools, request: EncodeChunkRequest): Promise<EncodedChunkRendition[]> {
  const { probe, renditions, chunk, outputDir, brand = null, boundaries = null, signal } = request;
  const { video, durationMs } = probe;
  const rate = commonRate(renditions);
  if (video === null || rate === undefined) {
    throw new ChunkUnfitError('there is no picture');
  }
  for (const { quality } of renditions) {
    await mkdir(join(outputDir, quality), { recursive: true });
  }
  if (brand !== null) {
    await placeLogo(outputDir, brand.logo);
  }
  const frames = renditions.map(({ frameRate }) => framesOf(chunk, { rate: frameRate, boundaries }, probe));
  const common = commonFrames({ renditions, rate, frames });
  const seekSeconds = await findSeek(common, rate, (seconds) => firstFrameFrom(tools, request, seconds));
  const msAt = (frame: number): number => (frame * rate.denominator * 1_000) / rate.numerator;
  const startMs = msAt(common.first);
  const endMs = chunk.endSegment === null ? durationMs : msAt(common.end);
  const reader = new ProgressReader(Math.max(1, endMs - startMs), (progress) => request.onProgress?.(progress));
  const similarity = new SimilarityReader();
  const { preset, threads, toneMaps } = tools;
  const plan: ChunkEncodePlan = {
    probe,
    video,
    renditions,
    chunk,
    rate,
    frames,
    seekSeconds,
    preset,
    threads,
    brand,
    boundaries,
    toneMaps,
  };
  const result = await tools.runFfmpeg(
    { inputPath: request.sourcePath, outputDir },
    (paths) => chunkArguments({ ...plan, ...paths }),
    {
      onStdout: (text) => reader.add(text),
      keepsLine: similarity.readsLine,
      timeoutSeconds: tools.timeoutSecondsOf({ durationMs: endMs - startMs }),
      watch: stallWatch(() => reader.writtenSeconds),
      output: ladderCap(probe, renditions),
      signal,
    },
  );
  if (result.exitCode !== 0) {
    throw encodeFailure(result);
  }
  const finished = await finishChunk(plan, { outputDir, keyFrames: request.keyFrames ?? false });
  if (chunk.endSegment === null) {
    const seconds = Math.max(...finished.map(({ segments }) => segments.reduce((sum, one) => sum + one.seconds, 0)));
    const gotMs = startMs + seconds * 1_000;
    refuseShortOutput({ wantedMs: durationMs, gotMs }, result.stderrTail);
    refuseCutOutput(probe, gotMs, result.stderrTail);
  }
  return withMaking(finished, renditions, similarity.found, tools);
}

async function firstFrameFrom(
  tools: ChunkTools,
  { sourcePath, probe, renditions, boundaries, signal }: EncodeChunkRequest,
  seekSeconds: number,
): Promise<number | null> {
  const { video } = probe;
  const rate = commonRate(renditions);
  if (video === null || rate === undefined) {
    return null;
  }
  let output = '';
  const { exitCode } = await tools.runFfmpeg(
    { inputPath: sourcePath, outputDir: null },
    ({ inputPath }) =>
      firstFrameArguments({ probe, video, rate, boundaries: boundaries ?? null }, { inputPath, seekSeconds }),
    { onStdout: (text) => (output += text), timeoutSeconds: SEEK_TIMEOUT_SECONDS, signal },
  );
  return exitCode === 0 ? readFirstFrame(output) : null;
}
