import type { RunProgram } from './runProgram.js';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  PartUnfitError,
  type EncodedPartRung,
  type EncodePartRequest,
  type EncodeRequest,
} from '../../ports/transcoder.js';
import { placeLogo } from './brandOverlay.js';
import { CutCheck, hasFindableMoments, packetArguments } from './cuttable.js';
import { encodeFailure, refuseCutOutput, refuseShortOutput } from './encodeFailure.js';
import { findSeek, finishPart, readFirstFrame } from './encodePart.js';
import { LikenessReader } from './likeness.js';
import { withMaking, type Encoder } from './making.js';
import { ladderCap } from './outputCap.js';
import { firstFrameArguments, partArguments, type PartPlan } from './partArguments.js';
import { framesOf } from './partFrames.js';
import { ProgressReader } from './progress.js';
import { stallWatch } from './stallWatch.js';

export interface PartTools extends Encoder {
  readonly threads: number;
  readonly toneMaps: boolean;
  /** How long an encode of so much film may take. */
  readonly timeoutSecondsOf: (film: { durationMs: number }) => number;
  readonly runFfmpeg: RunProgram;
  readonly runFfprobe: RunProgram;
}

const SEEK_TIMEOUT_SECONDS = 120;

/** Reads all packets, unless the container says enough. */
export async function canCut(
  tools: Pick<PartTools, 'runFfprobe' | 'timeoutSecondsOf'>,
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

/** @throws PartUnfitError, EncodeFailedError, TranscoderUnavailableError, the signal's reason */
export async function encodePart(tools: PartTools, request: EncodePartRequest): Promise<EncodedPartRung[]> {
  const { probe, rungs, part, outputDir, brand = null, borders = null, signal } = request;
  const { video, durationMs } = probe;
  const rate = rungs[0]?.frameRate;
  if (video === null || rate === undefined) {
    throw new PartUnfitError('there is no picture');
  }
  for (const { quality } of rungs) {
    await mkdir(join(outputDir, quality), { recursive: true });
  }
  if (brand !== null) {
    await placeLogo(outputDir, brand.logo);
  }
  const frames = framesOf(part, { rate, borders }, durationMs);
  const seekSeconds = await findSeek(frames, rate, (seconds) => firstFrameFrom(tools, request, seconds));
  const msAt = (frame: number): number => (frame * rate.denominator * 1_000) / rate.numerator;
  const startMs = msAt(frames.first);
  const endMs = part.endSegment === null ? durationMs : msAt(frames.end);
  const reader = new ProgressReader(Math.max(1, endMs - startMs), (progress) => request.onProgress?.(progress));
  const likeness = new LikenessReader();
  const { preset, threads, toneMaps } = tools;
  const plan: PartPlan = {
    probe,
    video,
    rungs,
    part,
    frames,
    seekSeconds,
    preset,
    threads,
    brand,
    borders,
    toneMaps,
  };
  const result = await tools.runFfmpeg(
    { inputPath: request.sourcePath, outputDir },
    (paths) => partArguments({ ...plan, ...paths }),
    {
      onStdout: (text) => reader.add(text),
      keepsLine: likeness.readsLine,
      timeoutSeconds: tools.timeoutSecondsOf({ durationMs: endMs - startMs }),
      watch: stallWatch(() => reader.writtenSeconds),
      output: ladderCap(probe, rungs),
      signal,
    },
  );
  if (result.exitCode !== 0) {
    throw encodeFailure(result);
  }
  const finished = await finishPart(plan, { outputDir, keyFrames: request.keyFrames ?? false });
  if (part.endSegment === null) {
    const seconds = Math.max(...finished.map(({ segments }) => segments.reduce((sum, one) => sum + one.seconds, 0)));
    const gotMs = startMs + seconds * 1_000;
    refuseShortOutput({ wantedMs: durationMs, gotMs }, result.stderrTail);
    refuseCutOutput(probe, gotMs, result.stderrTail);
  }
  return withMaking(finished, rungs, likeness.found, tools);
}

async function firstFrameFrom(
  tools: PartTools,
  { sourcePath, probe, rungs, borders, signal }: EncodePartRequest,
  seekSeconds: number,
): Promise<number | null> {
  const { video } = probe;
  const rate = rungs[0]?.frameRate;
  if (video === null || rate === undefined) {
    return null;
  }
  let output = '';
  const { exitCode } = await tools.runFfmpeg(
    { inputPath: sourcePath, outputDir: null },
    ({ inputPath }) =>
      firstFrameArguments({ probe, video, rate, fromPicture: borders !== undefined }, { inputPath, seekSeconds }),
    { onStdout: (text) => (output += text), timeoutSeconds: SEEK_TIMEOUT_SECONDS, signal },
  );
  return exitCode === 0 ? readFirstFrame(output) : null;
}
