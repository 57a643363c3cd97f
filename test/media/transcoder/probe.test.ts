import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import type { ChildResult } from '../../../src/adapters/transcode/sandbox/childProcess.js';
import { probeSource } from '../../../src/adapters/transcode/probe/prober.js';
import { readCaptions } from '../../../src/adapters/transcode/probe/probeCaptions.js';
import { createFfmpegTranscoder } from '../../../src/adapters/transcode/ffmpegTranscoder.js';
import { ffmpeg, makeClip, mediaFolder } from '../../support/media.js';

test('imports no chapters of a video that has more than anyone would read', async () => {
  await using folder = await mediaFolder();
  const clip = await makeClip(folder.path, { durationSeconds: 1 });
  const chapters = Array.from(
    { length: 40_000 },
    (_, n) => `[CHAPTER]\nTIMEBASE=1/100000\nSTART=${n}\nEND=${n + 1}\ntitle=${'long '.repeat(20)}${n}\n`,
  );
  const list = join(folder.path, 'chapters.txt');
  await writeFile(list, [';FFMETADATA1\n', ...chapters].join(''));
  const subtitles = join(folder.path, 'subtitles.srt');
  await writeFile(subtitles, '1\n00:00:00,000 --> 00:00:01,000\nHello\n');
  const inputs = [clip, list, subtitles].flatMap((path) => ['-i', path]);
  const video = join(folder.path, 'video.mkv');
  await ffmpeg(...inputs, '-map', '0', '-map', '2', '-map_chapters', '1', '-c', 'copy', '-c:s', 'srt', video);

  const transcoder = await createFfmpegTranscoder({ searchPath: process.env['PATH'] });
  const probe = await transcoder.probe(video);

  expect(Math.abs(probe.durationMs - 1_000)).toBeLessThan(60);
  expect(probe.video).toMatchObject({ width: 320, height: 180 });
  expect(probe).toMatchObject({ chapters: [], subtitles: [] });
});

test('cuts a title between characters, so that a database accepts it', () => {
  const title = `${'a'.repeat(499)}😀`;
  const { chapters } = readCaptions({ chapters: [{ start_time: '0', tags: { title } }] });
  expect(chapters[0]!.title.isWellFormed()).toBe(true);
});

// A duration may be a length or an end time. If it may be an end time, the last packets are read.
test.each([
  ['that is its end', '00:00:04.000000000'],
  ['that can be its length only', '00:00:01.000000000'],
])('a Matroska track with a duration %s ends with the video', async (_, duration) => {
  await using folder = await mediaFolder();
  const clip = await makeClip(folder.path, { durationSeconds: 4, name: 'clip.mkv' });
  await retag(clip, duration);

  const transcoder = await createFfmpegTranscoder({ searchPath: process.env['PATH'] });
  const { video, audio } = await transcoder.probe(clip);

  expect(video).toMatchObject({ endsBeforeMs: 0 });
  expect(audio).toMatchObject({ endsBeforeMs: 0 });
});

/** Writes another duration into the tags of all tracks. */
async function retag(path: string, duration: string): Promise<void> {
  const file = await readFile(path);
  const pattern = /00:00:0\d\.\d{9}/g;
  const text = file.toString('latin1').replaceAll(pattern, duration);
  await writeFile(path, Buffer.from(text, 'latin1'));
}

test.each([
  ['a machine short of memory', 137, null, '', 'TranscoderKilledError', undefined],
  ['a program that does not start', 127, null, 'libavutil.so: cannot open', 'TranscoderUnavailableError', undefined],
  ['a store that hangs', 137, 'timeout', '', 'UnusableSourceError', true],
  ['a broken disk', 1, null, 'video.mp4: Input/output error', 'UnusableSourceError', true],
  [
    'a broken disk where the table of contents is',
    1,
    null,
    'moov atom not found\nInput/output error',
    'UnusableSourceError',
    true,
  ],
  ['a damaged video', 1, null, 'Invalid data found when processing input', 'UnusableSourceError', false],
])('distinguishes %s from an unusable video', async (_, exitCode, killedFor, stderrTail, name, inDoubt) => {
  await using folder = await mediaFolder();
  const clip = await makeClip(folder.path, { durationSeconds: 1 });
  const ends = (): Promise<ChildResult> => Promise.resolve({ exitCode, killedFor, stderrTail });
  const refusal: unknown = await probeSource(clip, ends, 3600).catch((error: unknown) => error);
  expect(refusal).toMatchObject({ name, ...(inDoubt !== undefined && { inDoubt }) });
});
