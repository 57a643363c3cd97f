import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { createFfmpegTranscoder } from '../../../src/adapters/transcode/ffmpegTranscoder.js';
import { ffmpeg, makeClip, mediaFolder } from '../../support/media.js';

const CUE_BYTES = 3_000_000;
/** The limit is 10. Without it, such a cue takes about 60 on a fast core. */
const MAX_CPU_SECONDS = 20;
const TICKS_PER_SECOND = 100;

test('a cue of megabytes costs ten seconds of processor time at most, and its video has no subtitles', async () => {
  await using folder = await mediaFolder();
  const clip = await makeClip(folder.path, { name: 'clip.mkv', durationSeconds: 3 });
  const srt = join(folder.path, 'huge.srt');
  await writeFile(srt, `1\n00:00:01,000 --> 00:00:02,000\n${'<i>'.repeat(CUE_BYTES / 3)}\n\n`);
  const sourcePath = join(folder.path, 'huge.mkv');
  await ffmpeg(
    '-i',
    clip,
    '-i',
    srt,
    '-i',
    srt,
    ...['0', '1', '2'].flatMap((n) => ['-map', n]),
    '-c',
    'copy',
    sourcePath,
  );
  const transcoder = await createFfmpegTranscoder();
  const probe = await transcoder.probe(sourcePath);
  expect(probe.subtitles).toHaveLength(2);

  const before = await childrenSeconds();
  const found = await transcoder.subtitles({ sourcePath, probe, outputDir: join(folder.path, 'out') });

  expect(found).toEqual([]);
  expect((await childrenSeconds()) - before).toBeLessThan(MAX_CPU_SECONDS);
});

/** Processor time of the children that have ended, and of theirs. */
async function childrenSeconds(): Promise<number> {
  const text = await readFile('/proc/self/stat', 'utf8');
  const [user = NaN, system = NaN] = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .slice(13, 15)
    .map(Number);
  return (user + system) / TICKS_PER_SECOND;
}
