/**
 * A ladder whose top rendition is passed through, beside the same ladder with everything encoded. In alternating pairs.
 *
 * BENCH_PAIRS=5  BENCH_CLIP_SECONDS=12
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import { createFfmpegTranscoder } from '../../src/adapters/transcode/ffmpegTranscoder.js';
import { passthroughCandidate, planPassthrough } from '../../src/domain/media/pipeline/passthrough.js';
import { renditionsFor } from '../../src/domain/media/pipeline/ladder.js';
import type { Rendition } from '../../src/ports/transcoder.js';
import { makeClip, mediaFolder } from '../support/media.js';

const PAIRS = Number(process.env['BENCH_PAIRS'] ?? 5);
const CLIP_SECONDS = Number(process.env['BENCH_CLIP_SECONDS'] ?? 12);
const MIN_RATIO = 2;

await using folder = await mediaFolder();
const transcoder = await createFfmpegTranscoder({ searchPath: process.env['PATH'] });
const sourcePath = await makeClip(folder.path, {
  durationSeconds: CLIP_SECONDS,
  width: 1920,
  height: 1080,
  frameRate: '30',
  videoCodec: ['-c:v', 'libx264', '-preset', 'veryfast', '-g', '60', '-level', '4.0', '-crf', '30'],
});
const probe = await transcoder.probe(sourcePath);
const renditions = renditionsFor('1080p', probe);

const ratios: number[] = [];
for (let pair = 0; pair <= PAIRS; pair += 1) {
  const encodedSeconds = await timed((outputDir) => transcoder.encode({ sourcePath, probe, renditions, outputDir }));
  const copiedSeconds = await timed(ladderWithPassthrough);
  // The first pair warms the caches of both.
  if (pair > 0) ratios.push(encodedSeconds / copiedSeconds);
}
const median = ratios.toSorted((a, b) => a - b)[Math.floor(ratios.length / 2)]!;
const isMet = median >= MIN_RATIO;
console.log(
  `${isMet ? 'ok    ' : 'MISSED'} remux: a 1080p source of ${CLIP_SECONDS} s that fits its top rendition is ` +
    `${median.toFixed(2)} × as fast as encoding it all (target at least ${MIN_RATIO} ×; ` +
    `${ratios.map((ratio) => ratio.toFixed(2)).join(' ')})`,
);
if (!isMet) process.exitCode = 1;

/**
 * As the pipeline does it: reads all packets, passes through what fits with the sound, and encodes the rest at its
 * boundaries.
 */
async function ladderWithPassthrough(outputDir: string): Promise<void> {
  const candidate = passthroughCandidate(renditions, probe);
  if (candidate === null) throw new Error('the clip was made to fit');
  const plan = planPassthrough(
    renditions,
    candidate,
    await transcoder.scanPackets({ sourcePath, probe, frameRate: candidate.frameRate }),
    probe,
  );
  if (typeof plan === 'string') throw new Error(`the clip was made to fit: ${plan}`);
  const isFirst = (rendition: Rendition): boolean => rendition.passthrough === true || rendition.quality === 'audio';
  const request = { sourcePath, probe, outputDir };
  const { packets } = plan;
  const { boundaries } = await transcoder.encode({
    ...request,
    renditions: plan.renditions.filter(isFirst),
    pictures: false,
    packets,
  });
  const rest = plan.renditions.filter((rendition) => !isFirst(rendition));
  await transcoder.encode({ ...request, renditions: rest, ...(boundaries && { boundaries }) });
}

async function timed(make: (outputDir: string) => Promise<unknown>): Promise<number> {
  const outputDir = join(folder.path, 'out');
  const startedAt = performance.now();
  await make(outputDir);
  const seconds = (performance.now() - startedAt) / 1_000;
  await rm(outputDir, { recursive: true });
  return seconds;
}
