import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { beforeAll, expect, test } from 'vitest';

import { createFfmpegTranscoder } from '../../../src/adapters/transcode/ffmpegTranscoder.js';
import { parseVtt } from '../../../src/player/vtt.js';
import type { Transcoder } from '../../../src/ports/transcoder.js';
import { ffmpeg, makeClip, mediaFolder, type ClipOptions } from '../../support/media.js';
import { allPackets, segmentStarts, tinyLadder } from './hls.js';
import { FIELDS, oneAfterTheOther, VP8, withSmallerEnd, withSmallerFields } from './smallerEnd.js';

/** Length of each half. */
const HALF_SECONDS = 9;

let transcoder: Transcoder;

beforeAll(async () => {
  transcoder = await createFfmpegTranscoder({ preset: 'ultrafast' });
});

const SOURCES: [string, ClipOptions, (folder: string, clip: string) => Promise<string>][] = [
  ['a video call', { name: 'clip.mkv', videoCodec: VP8 }, withSmallerEnd],
  [
    'an interlaced video',
    { name: 'clip.ts', height: 96, videoCodec: FIELDS },
    (folder, clip) => withSmallerFields(folder, clip, HALF_SECONDS),
  ],
];

test.each(SOURCES)('a change of size in the middle of %s does not change the frames', async (_, options, turn) => {
  await using folder = await mediaFolder();
  const clip = await makeClip(folder.path, { durationSeconds: HALF_SECONDS, width: 160, height: 90, ...options });
  const sourcePath = await turn(folder.path, clip);
  const probe = await transcoder.probe(sourcePath);
  const outputDir = join(folder.path, 'out');
  const renditions = tinyLadder(probe);
  const ladder = await transcoder.encode({ sourcePath, probe, renditions, outputDir });

  for (const rendition of ladder.renditions.slice(0, 2)) {
    const packets = await allPackets(outputDir, rendition);
    // The halves meet within a frame or two, by the fields' own clock.
    expect(Math.abs(packets.length - 2 * HALF_SECONDS * 25)).toBeLessThanOrEqual(2);
    const starts = await segmentStarts(outputDir, rendition);
    expect(starts.map((start) => Math.round(start * 25) / 25)).toEqual([0, 4, 8, 12, 16]);
  }
  const cues = parseVtt(await readFile(join(outputDir, ladder.storyboard!.indexPath), 'utf8'));
  expect(cues).toHaveLength(HALF_SECONDS);
  expect(ladder.storyboard!.paths).toContain('storyboard/sheet_1.jpg');
  expect(ladder.storyboard!.paths).not.toContain('storyboard/sheet_2.jpg');
});

test('a rotated video of any size is processed', async () => {
  await using folder = await mediaFolder();
  const vp9 = ['-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-cpu-used', '8'];
  const clip = await makeClip(folder.path, { durationSeconds: HALF_SECONDS, width: 160, height: 90, videoCodec: vp9 });
  const [small, both] = [join(folder.path, 'small.mp4'), join(folder.path, 'both.mp4')];
  await ffmpeg('-i', clip, '-vf', 'scale=80:46', ...vp9, '-c:a', 'copy', small);
  await oneAfterTheOther(folder.path, [clip, small, clip, small], '-metadata:s:v:0', 'rotate=90', both);
  const probe = await transcoder.probe(both);
  expect(probe.video).toMatchObject({ rotation: 270, hasMatrix: true });
  const ladder = await transcoder.encode({
    sourcePath: both,
    probe,
    renditions: tinyLadder(probe),
    outputDir: join(folder.path, 'out'),
  });
  expect(Math.abs(ladder.durationMs - 4_000 * HALF_SECONDS)).toBeLessThan(500);
});
