import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { beforeAll, expect, test } from 'vitest';

import { findPrograms } from '../../../src/adapters/transcode/sandbox/detectSandbox.js';
import { createFfmpegTranscoder } from '../../../src/adapters/transcode/ffmpegTranscoder.js';
import { parseVtt } from '../../../src/player/vtt.js';
import {
  type EncodedLadder,
  type EncodeRequest,
  type SourceProbe,
  type Transcoder,
  TranscoderUnavailableError,
} from '../../../src/ports/transcoder.js';
import { frameOf } from '../../support/branding/pixels.js';
import { ffmpeg, ffprobe, makeClip, mediaFolder, type ClipOptions } from '../../support/media.js';
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

test('has a preview after an encode that failed because ffmpeg did not say what it encodes', async () => {
  await using folder = await mediaFolder();
  const asked = join(folder.path, 'asked');
  const fails = `[ "$1" = -encoders ] && [ ! -e ${asked} ] && touch ${asked} && exit 1`;
  const failsOnce = await calledBy(folder.path, (program) => `${fails}\nexec ${program} "$@"`);
  await expect(encoded(folder.path, 6, { with: failsOnce })).rejects.toThrow(TranscoderUnavailableError);
  const { ladder } = await encoded(folder.path, 6, { with: failsOnce });
  expect(ladder.storyboard!.previewPath).not.toBeNull();
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

test.each([
  ['during the encode', {}, (second: number) => second],
  [
    'from keyframes alone',
    { renditions: [], pictures: true, besidePicture: true },
    (second: number) => second - (second % 2),
  ],
])('I-frames come once a second and can be decoded alone if they are made %s', async (_, wishes, shownAt) => {
  await using folder = await mediaFolder();
  const sourcePath = join(folder.path, 'brighter.mp4');
  // The expression is computed for each pixel.
  const graph = "nullsrc=size=64x36:rate=25:duration=9.6,geq=lum='20+20*T':cb=128:cr=128,scale=640:360:flags=neighbor";
  await ffmpeg('-f', 'lavfi', '-i', graph, '-g', '50', '-sc_threshold', '0', '-pix_fmt', 'yuv420p', sourcePath);
  const probe = await transcoder.probe(sourcePath);
  const outputDir = join(folder.path, 'out');
  const ladder = await transcoder.encode({ sourcePath, probe, renditions: tinyLadder(probe), ...wishes, outputDir });
  const { trickPlay, paths } = ladder.storyboard!;
  expect(trickPlay).toMatchObject({ playlistPath: 'storyboard/iframes.m3u8', width: 416, height: 234 });
  expect(paths).toEqual(expect.arrayContaining(['storyboard/iframes.m3u8', 'storyboard/iframes.mp4']));
  const playlist = await readFile(join(outputDir, trickPlay!.playlistPath), 'utf8');
  const media = await readFile(join(outputDir, 'storyboard/iframes.mp4'));
  const [, initBytes = ''] = /#EXT-X-MAP:URI="iframes\.mp4",BYTERANGE="(\d+)@0"/.exec(playlist) ?? [];
  const frames = [...playlist.matchAll(/#EXTINF:([\d.]+),\n#EXT-X-BYTERANGE:(\d+)@(\d+)\niframes\.mp4/g)];
  expect(frames.map(([, seconds]) => Number(seconds))).toEqual([...Array(9).fill(1), 0.6]);
  let nextOffset = Number(initBytes);
  for (const [second, [, , size, offset]] of frames.entries()) {
    expect(Number(offset)).toBe(nextOffset);
    nextOffset += Number(size);
    const alone = join(folder.path, 'alone.mp4');
    await writeFile(
      alone,
      Buffer.concat([media.subarray(0, Number(initBytes)), media.subarray(Number(offset), nextOffset)]),
    );
    const shown = await ffprobe('-of', 'csv=p=0', '-count_frames', '-show_entries', 'stream=nb_read_frames', alone);
    expect(Number.parseInt(shown, 10)).toBe(1);
    const [brightness] = (await frameOf(folder.path, alone, { width: 416, height: 234 })).at(200, 100);
    const wanted = ((20 + 20 * shownAt(second) - 16) * 255) / 219;
    expect(Math.abs(brightness - wanted)).toBeLessThan(8);
  }
  expect(nextOffset).toBe(media.length);
  const bits = 8 * (media.length - Number(initBytes));
  expect(trickPlay!.averageBandwidthBps).toBe(Math.ceil((bits * 1_000) / probe.durationMs));
  expect(trickPlay!.averageBandwidthBps).toBeLessThan(100_000);
});

test('covers all of a video that is slightly shorter than announced', async () => {
  await using folder = await mediaFolder();
  const { ladder, outputDir } = await encoded(folder.path, 8, { durationMs: 8_900 });
  const { indexPath, paths } = ladder.storyboard!;
  expect(paths).toEqual([
    'storyboard/index.vtt',
    'storyboard/sheet_1.jpg',
    'storyboard/preview.webp',
    'storyboard/iframes.m3u8',
    'storyboard/iframes.mp4',
  ]);
  const cues = parseVtt(await readFile(join(outputDir, indexPath), 'utf8'));
  expect(cues.map(({ startSeconds, endSeconds }) => [startSeconds, endSeconds])).toEqual([
    [0, 2],
    [2, 4],
    [4, 6],
    // The last frame stays for two more.
    [6, 8],
    [8, 8.08],
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
])('the preview moves twice a second, up to its last picture: %s', async (_, clip) => {
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

test('a video has no preview if ffmpeg does not support WebP', async () => {
  await using folder = await mediaFolder();
  const chosen = await calledBy(
    folder.path,
    (program) => `case "$*" in *-encoders*) ${program} "$@" | grep -v libwebp ;; *) exec ${program} "$@" ;; esac`,
  );
  const { ladder } = await encoded(folder.path, 6, { with: chosen });
  expect(ladder.storyboard).toMatchObject({ previewPath: null });
  expect(ladder.storyboard!.paths).not.toContain('storyboard/preview.webp');
});
