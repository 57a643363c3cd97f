import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { beforeAll, expect, test } from 'vitest';

import { findPrograms } from '../../../src/adapters/transcode/sandbox/detectSandbox.js';
import { createFfmpegTranscoder } from '../../../src/adapters/transcode/ffmpegTranscoder.js';
import { parseVtt } from '../../../src/player/vtt.js';
import type { EncodedLadder, EncodeRequest, SourceProbe, Transcoder } from '../../../src/ports/transcoder.js';
import { frameOf } from '../../support/branding/pixels.js';
import { ffmpeg, makeClip, mediaFolder, type ClipOptions } from '../../support/media.js';
import { tinyLadder } from './hls.js';

let transcoder: Transcoder;

beforeAll(async () => {
  transcoder = await createFfmpegTranscoder({ preset: 'ultrafast' });
});

async function encoded(
  folder: string,
  durationSeconds: number,
  {
    with: chosen = transcoder,
    ...wishes
  }: Partial<EncodeRequest> & { with?: Transcoder; durationMs?: number; clip?: ClipOptions } = {},
): Promise<{ ladder: EncodedLadder; outputDir: string }> {
  const sourcePath = await makeClip(folder, { durationSeconds, width: 192, height: 108, ...wishes.clip });
  const found = await chosen.probe(sourcePath);
  const probe: SourceProbe = { ...found, durationMs: wishes.durationMs ?? found.durationMs };
  const outputDir = join(folder, 'out');
  const renditions = tinyLadder(probe);
  return { outputDir, ladder: await chosen.encode({ sourcePath, probe, renditions, ...wishes, outputDir }) };
}

/** A transcoder whose ffmpeg is called through a script. */
async function calledBy(folder: string, script: (ffmpeg: string) => string): Promise<Transcoder> {
  const { ffmpeg: program } = await findPrograms(undefined, process.env['PATH']!);
  const ffmpegPath = join(folder, 'ffmpeg');
  await writeFile(ffmpegPath, `#!/bin/sh\n${script(program)}\n`);
  await chmod(ffmpegPath, 0o755);
  return createFfmpegTranscoder({ preset: 'ultrafast', ffmpegPath });
}

test('reports progress from the first picture on, before a full sheet or two moving pictures exist', async () => {
  await using folder = await mediaFolder();
  // At real time, so that the first report can be seen.
  const slow = await calledBy(folder.path, (program) => `exec ${program} -re "$@"`);
  const seen = new AbortController();
  let first = 0;
  const onProgress: EncodeRequest['onProgress'] = ({ percent }) => {
    if (percent === 0 || first > 0) return;
    first = percent;
    seen.abort(new Error('seen'));
  };
  await expect(encoded(folder.path, 60, { with: slow, onProgress, signal: seen.signal })).rejects.toThrow('seen');
  // The first two pictures of the preview are a tenth of the video apart.
  expect(first).toBeLessThan(9);
});

test.each([
  ['during the encode', {}],
  ['from keyframes alone', { renditions: [], pictures: true, besidePicture: true }],
])('shows in each tile the picture of its time if it is made %s', async (_, wishes) => {
  await using folder = await mediaFolder();
  const sourcePath = join(folder.path, 'brighter.mp4');
  const graph = "nullsrc=size=64x36:rate=25:duration=20,geq=lum='20+10*T':cb=128:cr=128";
  await ffmpeg('-f', 'lavfi', '-i', graph, '-g', '50', '-sc_threshold', '0', '-pix_fmt', 'yuv420p', sourcePath);
  const probe = await transcoder.probe(sourcePath);
  const outputDir = join(folder.path, 'out');
  const ladder = await transcoder.encode({ sourcePath, probe, renditions: tinyLadder(probe), ...wishes, outputDir });
  const cues = parseVtt(await readFile(join(outputDir, ladder.storyboard!.indexPath), 'utf8'));
  expect(cues).toHaveLength(10);
  const size = { width: 6 * 64, height: 2 * 36 };
  const sheet = await frameOf(folder.path, join(outputDir, 'storyboard/sheet_1.jpg'), size);
  for (const { startSeconds, text } of cues) {
    const [, x = '', y = ''] = /^sheet_1\.jpg#xywh=(\d+),(\d+),64,36$/.exec(text) ?? [];
    const [brightness] = sheet.at(Number(x) + 32, Number(y) + 18);
    // From 16 to 235 in the video, from 0 to 255 in a JPEG.
    const wanted = ((20 + 10 * startSeconds - 16) * 255) / 219;
    expect(Math.abs(brightness - wanted)).toBeLessThan(8);
  }
});

test('covers all of a video that is slightly shorter than announced', async () => {
  await using folder = await mediaFolder();
  const { ladder, outputDir } = await encoded(folder.path, 8, { durationMs: 8_900 });
  const { indexPath, paths } = ladder.storyboard!;
  expect(paths).toEqual(['storyboard/index.vtt', 'storyboard/sheet_1.jpg', 'storyboard/preview.webp']);
  const cues = parseVtt(await readFile(join(outputDir, indexPath), 'utf8'));
  expect(cues.map(({ startSeconds, endSeconds }) => [startSeconds, endSeconds])).toEqual([
    [0, 2],
    [2, 4],
    [4, 6],
    [6, ladder.durationMs / 1_000],
  ]);
});

/**
 * Milliseconds for which each picture of a moving WebP is shown: 24 bits in its ANMF chunk, after position and size.
 */
function frameMs(webp: Buffer): number[] {
  const found: number[] = [];
  for (let at = webp.indexOf('ANMF'); at !== -1; at = webp.indexOf('ANMF', at + 4)) {
    found.push(webp.readUIntLE(at + 8 + 12, 3));
  }
  return found;
}

test.each([
  ['25 frames a second', { frameRate: '25' }],
  ['a frame every two seconds', { frameRate: '1/2' }],
  ['a picture higher than wide', { width: 108, height: 192 }],
])('moves twice a second, up to its last picture: %s', async (_, clip) => {
  await using folder = await mediaFolder();
  const { ladder, outputDir } = await encoded(folder.path, 24, { clip });
  const preview = await readFile(join(outputDir, ladder.storyboard!.previewPath!));
  expect(frameMs(preview)).toEqual(Array(10).fill(500));
  const cues = parseVtt(await readFile(join(outputDir, ladder.storyboard!.indexPath), 'utf8'));
  expect(cues).toHaveLength(12);
});

test('reports progress as it is made, if it is made alone', async () => {
  await using folder = await mediaFolder();
  const percents: number[] = [];
  const onProgress: EncodeRequest['onProgress'] = ({ step, percent }) => {
    if (step === 'encoding') percents.push(percent);
  };
  await encoded(folder.path, 60, { renditions: [], pictures: true, besidePicture: true, onProgress });
  // The last keyframe is at 50 s; the last poster candidate is at 36 s.
  expect(percents.at(-1)).toBeGreaterThan(80);
});

test('has no preview if ffmpeg does not support WebP', async () => {
  await using folder = await mediaFolder();
  const chosen = await calledBy(
    folder.path,
    (program) => `case "$*" in *-encoders*) ${program} "$@" | grep -v libwebp ;; *) exec ${program} "$@" ;; esac`,
  );
  const { ladder } = await encoded(folder.path, 6, { with: chosen });
  expect(ladder.storyboard).toMatchObject({ previewPath: null });
  expect(ladder.storyboard!.paths).toEqual(['storyboard/index.vtt', 'storyboard/sheet_1.jpg']);
});
