/**
 * How a rendition looks beside plain x264 at the same average bitrate: `-preset veryfast -b:v`, in one pass and in two,
 * without the cap on its peaks that streaming needs, cut every four seconds as a stream must be. Compared by SSIM
 * against the source, frame by frame, on three clips: motion, text and noise.
 *
 * BENCH_QUALITIES=480p,720p  BENCH_QUALITY_SECONDS=8  BENCH_QUALITY_CLIPS=motion,text,noise
 */
import { execFile } from 'node:child_process';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { createFfmpegTranscoder } from '../../src/adapters/transcode/ffmpegTranscoder.js';
import { renditionsFor } from '../../src/domain/media/pipeline/ladder.js';
import type { VideoRendition } from '../../src/ports/transcoder.js';
import { ffmpeg, mediaFolder } from '../support/media.js';

const run = promisify(execFile);

const QUALITIES = (process.env['BENCH_QUALITIES'] ?? '480p,720p').split(',');
const CHOSEN = (process.env['BENCH_QUALITY_CLIPS'] ?? 'motion,text,noise').split(',');
const SECONDS = Number(process.env['BENCH_QUALITY_SECONDS'] ?? 8);
/** The last significant digit of ffmpeg's filter. */
const TOLERANCE = 0.0001;
/** A reference may have up to this share more bits than our rendition, never fewer. */
const BITRATE_TOLERANCE = 0.005;
const TRIES = 6;
const PASSES = { 'one pass': [0], 'two passes': [1, 2] } as const;

/** Lossless, and quick to write; `text` is read from a file beside it. */
const STORED = '-c:v libx264 -preset ultrafast -qp 0 -pix_fmt yuv420p'.split(' ');
const WORDS = 'Every rendition of the ladder shows the same video; only the number of its pixels and its price differ.';
const CLIPS: Readonly<Record<string, (folder: string) => string>> = {
  motion: () =>
    `testsrc2=size=640x720:rate=30[l];mandelbrot=size=640x720:rate=30:end_scale=0.01[r];[l][r]hstack=shortest=1`,
  text: (folder) =>
    `color=c=0xf4f1ea:size=1280x720:rate=30,drawtext=textfile=${folder}/words.txt:fontsize=26:fontcolor=0x202020` +
    `:line_spacing=8:x=60:y=h-90*t`,
  // The filter that draws gradients draws others each time, whatever its seed.
  noise: () =>
    `nullsrc=size=320x180:rate=30,geq=lum='128+60*sin((X+2*N)/40)+40*cos((Y-N)/28)':cb='128+50*sin((X+Y+N)/75)'` +
    `:cr='128+50*cos((X-Y-N)/65)',scale=1280:720:flags=bicubic,format=yuv420p,noise=alls=12:allf=t+u:all_seed=3`,
};

await using folder = await mediaFolder();
await writeFile(
  join(folder.path, 'words.txt'),
  `${Array.from({ length: 60 }, (_, line) => `${line} ${WORDS}`).join('\n')}\n`,
);
const transcoder = await createFfmpegTranscoder();
for (const [name, graph] of Object.entries(CLIPS)) {
  if (!CHOSEN.includes(name)) continue;
  const clip = join(folder.path, `${name}.mp4`);
  await ffmpeg('-f', 'lavfi', '-i', graph(folder.path), '-t', `${SECONDS}`, ...STORED, clip);
  const probe = await transcoder.probe(clip);
  const outputDir = join(folder.path, name);
  const renditions = renditionsFor('720p', probe).filter(
    (rendition): rendition is VideoRendition => rendition.quality !== 'audio' && QUALITIES.includes(rendition.quality),
  );
  const { renditions: made } = await transcoder.encode({ sourcePath: clip, probe, renditions, outputDir });
  for (const [index, rendition] of renditions.entries()) {
    const { initPath, segmentPaths } = made[index]!;
    const video = join(folder.path, `${name}-${rendition.quality}.mp4`);
    const parts = [initPath, ...segmentPaths].map((path) => readFile(join(outputDir, path)));
    await writeFile(video, Buffer.concat(await Promise.all(parts)));
    const bits = (await stat(video)).size * 8;
    const ours = await similarity(clip, video, rendition);
    for (const [kind, passes] of Object.entries(PASSES)) {
      const plain = await plainX264(clip, rendition, { bits, passes });
      const isMet = ours >= plain.ssim - TOLERANCE;
      console.log(
        `${isMet ? 'ok    ' : 'MISSED'} quality: ${name} at ${rendition.quality}, ${kbps(bits)} kb/s: SSIM ${ours.toFixed(5)}, ` +
          `plain x264 in ${kind} ${plain.ssim.toFixed(5)} at ${kbps(plain.bits)} kb/s`,
      );
      if (!isMet) process.exitCode = 1;
    }
  }
}

function kbps(bits: number): string {
  return (bits / SECONDS / 1_000).toFixed(0);
}

function scaled({ width, height }: VideoRendition): string {
  return `scale=${width}:${height}:flags=bicubic:out_range=tv,format=yuv420p`;
}

async function similarity(clip: string, video: string, rendition: VideoRendition): Promise<number> {
  const { numerator, denominator } = rendition.frameRate;
  const count = `settb=${denominator}/${numerator},setpts=N`;
  const graph = `[0:v]${scaled(rendition)},${count}[a];[1:v]${count}[b];[a][b]ssim`;
  const { stderr } = await run('ffmpeg', [
    '-nostdin',
    '-i',
    clip,
    '-i',
    video,
    '-filter_complex',
    graph,
    '-f',
    'null',
    '-',
  ]);
  return Number(/SSIM .* All:([\d.]+)/.exec(stderr)?.[1]);
}

/**
 * x264 only comes near a requested bitrate, so it is tried again until it has as many bits as our rendition, or a few
 * more.
 */
async function plainX264(
  clip: string,
  rendition: VideoRendition,
  { bits, passes }: { bits: number; passes: readonly number[] },
): Promise<{ bits: number; ssim: number }> {
  const path = join(folder.path, 'plain.mp4');
  const frames = Math.round((4 * rendition.frameRate.numerator) / rendition.frameRate.denominator);
  let askedBps = bits / SECONDS;
  let got = 0;
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    for (const pass of passes) {
      const encode = `-c:v libx264 -preset veryfast -g ${frames} -sc_threshold 0 -b:v ${Math.round(askedBps)}`;
      const numbered = pass === 0 ? [] : ['-pass', `${pass}`, '-passlogfile', join(folder.path, 'plain')];
      const output = pass === 1 ? ['-f', 'null', '-'] : [path];
      await ffmpeg('-i', clip, '-an', '-vf', scaled(rendition), ...encode.split(' '), ...numbered, ...output);
    }
    got = (await stat(path)).size * 8;
    if (got >= bits && got <= bits * (1 + BITRATE_TOLERANCE)) break;
    askedBps *= (bits * (1 + BITRATE_TOLERANCE / 2)) / got;
  }
  return { bits: got, ssim: await similarity(clip, path, rendition) };
}
