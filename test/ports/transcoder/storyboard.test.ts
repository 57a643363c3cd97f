import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { beforeAll, expect, test } from 'vitest';

import { findPrograms } from '../../../src/adapters/transcode/detectSandbox.js';
import { createFfmpegTranscoder } from '../../../src/adapters/transcode/ffmpegTranscoder.js';
import { parseVtt } from '../../../src/player/vtt.js';
import type { EncodedLadder, EncodeRequest, SourceProbe, Transcoder } from '../../../src/ports/transcoder.js';
import { makeClip, mediaFolder, type ClipOptions } from '../../setup/media.js';
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
  const rungs = tinyLadder(probe);
  return { outputDir, ladder: await chosen.encode({ sourcePath, probe, rungs, ...wishes, outputDir }) };
}

test('progress is told while the first sheet is not full', async () => {
  await using folder = await mediaFolder();
  const percents: number[] = [];
  await encoded(folder.path, 60, { onProgress: ({ percent }) => percents.push(percent) });
  expect(percents.filter((percent) => percent > 0 && percent < 90)).not.toEqual([]);
});

test('covers what there is of a film that is a little shorter than announced', async () => {
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

/** Milliseconds for which each picture of a moving WebP is shown: 24 bits in its ANMF chunk, after place and size. */
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
])('moves twice a second, to its last picture: %s', async (_, clip) => {
  await using folder = await mediaFolder();
  const { ladder, outputDir } = await encoded(folder.path, 24, { clip });
  const preview = await readFile(join(outputDir, ladder.storyboard!.previewPath!));
  expect(frameMs(preview)).toEqual(Array(10).fill(500));
  const cues = parseVtt(await readFile(join(outputDir, ladder.storyboard!.indexPath), 'utf8'));
  expect(cues).toHaveLength(12);
});

test('made alone, is told of as it comes', async () => {
  await using folder = await mediaFolder();
  const percents: number[] = [];
  const onProgress: EncodeRequest['onProgress'] = ({ step, percent }) => {
    if (step === 'encoding') percents.push(percent);
  };
  await encoded(folder.path, 60, { rungs: [], pictures: true, besidePicture: true, onProgress });
  // The last keyframe is one of 50 s; the last frame to choose a poster from is one of 36 s.
  expect(percents.at(-1)).toBeGreaterThan(80);
});

test('has a tile for each of its moments where only keyframes are decoded', async () => {
  await using folder = await mediaFolder();
  const { ladder, outputDir } = await encoded(folder.path, 18, { rungs: [], pictures: true, besidePicture: true });
  const cues = parseVtt(await readFile(join(outputDir, ladder.storyboard!.indexPath), 'utf8'));
  expect(cues).toHaveLength(9);
  expect(cues.at(-1)!.endSeconds).toBeCloseTo(18, 1);
});

test('comes without a preview where ffmpeg knows no WebP', async () => {
  await using folder = await mediaFolder();
  const { ffmpeg } = await findPrograms(undefined, process.env['PATH']!);
  const without = join(folder.path, 'ffmpeg');
  const script = `#!/bin/sh\ncase "$*" in *-encoders*) ${ffmpeg} "$@" | grep -v libwebp ;; *) exec ${ffmpeg} "$@" ;; esac\n`;
  await writeFile(without, script);
  await chmod(without, 0o755);
  const chosen = await createFfmpegTranscoder({ preset: 'ultrafast', ffmpegPath: without });
  const { ladder } = await encoded(folder.path, 6, { with: chosen });
  expect(ladder.storyboard).toMatchObject({ previewPath: null });
  expect(ladder.storyboard!.paths).toEqual(['storyboard/index.vtt', 'storyboard/sheet_1.jpg']);
});
