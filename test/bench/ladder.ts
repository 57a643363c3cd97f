/**
 * The whole 1080p ladder of three contents: what each rendition costs, whether a larger one costs as little, and its SSIM
 * beside plain `-preset veryfast -crf` at the same bitrate: one encode, without the cap on its peaks that streaming needs.
 * Both SSIMs are the encoder's own, against the scaled source.
 *
 * BENCH_LADDER_SECONDS=8
 */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { scaleFilters } from '../../src/adapters/transcode/encode/videoOutput.js';
import { createFfmpegTranscoder } from '../../src/adapters/transcode/ffmpegTranscoder.js';
import { withoutDominatedRenditions } from '../../src/domain/media/pipeline/dominated.js';
import { renditionsFor } from '../../src/domain/media/pipeline/ladder.js';
import type { EncodedRendition, VideoRendition } from '../../src/ports/transcoder.js';
import { ffmpeg, mediaFolder } from '../support/media.js';

const run = promisify(execFile);

const CHOSEN = process.env['BENCH_ONLY']?.split(',') ?? ['grain', 'screenText', 'calm'];
const SECONDS = Number(process.env['BENCH_LADDER_SECONDS'] ?? 8);
/** The smallest difference of the filter that is worth naming. */
const TOLERANCE = 0.0002;
const MAX_LOWEST_BPS = 400_000;
/** How much more a picture has to cost than the next smaller one; less, and the smaller one is dominated. */
const LEAST_STEP = 1 / 0.8;
/** What Apple's authoring rules ask of neighbors. */
const NEIGHBORS = { least: 1.5, most: 2 };
/** Encodes of the reference: its CRF is corrected until the bitrates are the same. */
const TRIES = 4;
const CRF_PER_DOUBLING = 6;
/** Three percent. */
const LEAST_SPREAD = 0.03;

const STORED = '-c:v libx264 -preset ultrafast -qp 0 -pix_fmt yuv420p'.split(' ');
const WORDS = 'Every rendition of the ladder shows the same video; only the number of its pixels and its price differ.';
const CLIPS: Readonly<Record<string, (folder: string) => string>> = {
  /** Fine detail under moving grain, in a slow pan. */
  grain: () =>
    'mandelbrot=size=2400x1350:rate=30:start_x=-0.743:start_y=0.131:start_scale=0.02:end_scale=0.012:end_pts=240,' +
    'crop=1920:1080:x=2*n:y=n/2,noise=alls=10:allf=t+u:all_seed=3,format=yuv420p',
  /** A page that jumps every two seconds, with a cursor. */
  screenText: (folder) =>
    `color=c=0xf4f1ea:size=1920x1080:rate=30,drawtext=textfile=${folder}/words.txt:fontsize=28:fontcolor=0x202020` +
    ':line_spacing=8:x=60:y=40-360*floor(t/2),drawbox=x=200+300*mod(t\\,5):y=500:w=12:h=20:color=black:t=fill',
  /** Slow gradients with a little noise. */
  calm: () =>
    `nullsrc=size=480x270:rate=30,geq=lum='128+60*sin((X+N/2)/40)+40*cos((Y-N/3)/28)':cb='128+50*sin((X+Y+N/2)/75)'` +
    `:cr='128+50*cos((X-Y-N)/65)',scale=1920:1080:flags=bicubic,noise=alls=2:allf=u:all_seed=3,format=yuv420p`,
};

interface Point {
  readonly bps: number;
  readonly ssim: number;
}

await using folder = await mediaFolder();
await writeFile(
  join(folder.path, 'words.txt'),
  `${Array.from({ length: 71 }, (_, line) => `${line} ${WORDS}`).join('\n')}\n`,
);
const transcoder = await createFfmpegTranscoder();
for (const name of CHOSEN) await showLadder(name, CLIPS[name]!(folder.path));

async function showLadder(name: string, graph: string): Promise<void> {
  const sourcePath = join(folder.path, `${name}.mp4`);
  await ffmpeg('-f', 'lavfi', '-i', graph, '-t', `${SECONDS}`, ...STORED, sourcePath);
  const probe = await transcoder.probe(sourcePath);
  const renditions = renditionsFor('1080p', probe).filter(isPicture);
  const ladder = await transcoder.encode({ sourcePath, probe, renditions, outputDir: join(folder.path, name) });
  const kept = withoutDominatedRenditions(ladder, []).renditions;
  const ours = ladder.renditions.map(pointOf);
  const plain = await plainAt(sourcePath, renditions, ours);

  for (const [index, rendition] of ladder.renditions.entries()) {
    const { bps, ssim } = ours[index]!;
    const beside = `SSIM ${ssim.toFixed(4)}, plain veryfast ${plain[index]!.toFixed(4)} at the same bitrate`;
    const text = `${name} at ${rendition.quality}: ${kbps(bps)} kb/s, ${beside}`;
    if (kept.includes(rendition)) tell(ssim >= plain[index]! - TOLERANCE, text);
    else console.log(`       ladder: ${text}; left out: a larger picture costs about as much`);
  }
  const bitrates = kept.map(({ averageBandwidthBps }) => averageBandwidthBps);
  const steps = bitrates.slice(1).map((bps, index) => bitrates[index]! / bps);
  tell(
    // The smallest picture is kept as long as it costs less than the others.
    steps.every((step, index) => step >= (index === steps.length - 1 ? 1 : LEAST_STEP)),
    `${name}: no picture is dominated; each costs ${steps.map((step) => step.toFixed(2)).join(', ')} × the next smaller one`,
  );
  const outside = steps.filter((step) => step < NEIGHBORS.least || step > NEIGHBORS.most).length;
  console.log(
    `       ladder: ${name}: ${outside} of ${steps.length} steps are not from ${NEIGHBORS.least} to ${NEIGHBORS.most} ×`,
  );
  tell(
    bitrates.at(-1)! <= MAX_LOWEST_BPS,
    `${name}: the smallest picture has ${kbps(bitrates.at(-1)!)} kb/s (target at most ${kbps(MAX_LOWEST_BPS)})`,
  );
}

function isPicture(rendition: { quality: string }): rendition is VideoRendition {
  return rendition.quality !== 'audio';
}

function pointOf({ averageBandwidthBps, making }: EncodedRendition): Point {
  return { bps: averageBandwidthBps, ssim: making!.similarity!.ssim };
}

/** The SSIM that plain x264 reaches at the bitrates of our renditions. All are encoded from one decode. */
async function plainAt(clip: string, renditions: VideoRendition[], ours: readonly Point[]): Promise<number[]> {
  let crfs = renditions.map(({ crf }) => crf);
  const found: Point[][] = renditions.map(() => []);
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    for (const [index, point] of (await plainLadder(clip, renditions, crfs)).entries()) found[index]!.push(point);
    crfs = crfs.map((crf, index) => crf + CRF_PER_DOUBLING * Math.log2(found[index]!.at(-1)!.bps / ours[index]!.bps));
  }
  return found.map((points, index) => ssimAt(points, ours[index]!.bps));
}

/**
 * From the point whose bitrate is nearest, on a line to the nearest one that is far enough from it, over the logarithm of
 * the bitrate. Between two points that are closer, the last digit of their SSIM would decide the slope.
 */
function ssimAt(points: readonly Point[], bps: number): number {
  const distance = (point: Point): number => Math.abs(Math.log(point.bps / bps));
  const [near, ...others] = points.toSorted((a, b) => distance(a) - distance(b)) as [Point, ...Point[]];
  const far = others.find((other) => Math.abs(Math.log(other.bps / near.bps)) > LEAST_SPREAD);
  if (far === undefined) return near.ssim;
  const slope = (near.ssim - far.ssim) / Math.log(near.bps / far.bps);
  return near.ssim + slope * Math.log(bps / near.bps);
}

async function plainLadder(clip: string, renditions: VideoRendition[], crfs: readonly number[]): Promise<Point[]> {
  const split = `[0:v]split=${renditions.length}${renditions.map((_, index) => `[s${index}]`).join('')}`;
  const scales = renditions.map((rendition, index) => `[s${index}]${scaleFilters(rendition)}[v${index}]`);
  const outputs = renditions.flatMap((_, index) => [
    ...`-map [v${index}] -c:v libx264 -preset veryfast -profile:v high -crf ${crfs[index]!.toFixed(2)} -ssim 1`.split(
      ' ',
    ),
    ...'-sc_threshold 0 -force_key_frames expr:gte(t,n_forced*4) -f null -'.split(' '),
  ]);
  const input = ['-v', 'info', '-nostats', '-hide_banner', '-nostdin', '-i', clip];
  const { stderr } = await run('ffmpeg', [...input, '-filter_complex', [split, ...scales].join(';'), ...outputs]);
  const ssims = [...stderr.matchAll(/SSIM Mean Y:([\d.]+)/g)].map(([, ssim]) => Number(ssim));
  const rates = [...stderr.matchAll(/kb\/s:([\d.]+)/g)].map(([, rate]) => Number(rate) * 1_000);
  return renditions.map((_, index) => ({ bps: rates[index]!, ssim: ssims[index]! }));
}

function kbps(bps: number): string {
  return (bps / 1_000).toFixed(0);
}

function tell(isMet: boolean, text: string): void {
  console.log(`${isMet ? 'ok    ' : 'MISSED'} ladder: ${text}`);
  if (!isMet) process.exitCode = 1;
}
