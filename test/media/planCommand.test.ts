import { join } from 'node:path';

import { afterAll, beforeAll, expect, it } from 'vitest';

import type { PrintedPlan } from '../../src/cli/planCommand.js';
import { ffmpeg, mediaFolder } from '../support/media.js';
import { dhara, type Ended } from '../support/terminal.js';

let folder: Awaited<ReturnType<typeof mediaFolder>>;
beforeAll(async () => {
  folder = await mediaFolder();
  const picture = ['-f', 'lavfi', '-i', 'testsrc2=size=1280x720:rate=25:duration=6'];
  const sound = ['-f', 'lavfi', '-i', 'sine=duration=6:sample_rate=48000'];
  const encoders = ['-c:v', 'libx264', '-preset', 'ultrafast', '-profile:v', 'high', '-g', '50', '-c:a', 'aac'];
  await ffmpeg(...picture, ...sound, ...encoders, '-pix_fmt', 'yuv420p', '-b:v', '2M', join(folder.path, 'talk.mp4'));
});
afterAll(() => folder[Symbol.asyncDispose]());

/** There is no database and no store, and the command does not look for one. */
const plan = (...args: string[]): Promise<Ended> => dhara(['plan', ...args], { DATA_DIR: join(folder.path, 'none') });

it('prints how a file would be processed, for people and for programs', async () => {
  const file = join(folder.path, 'talk.mp4');
  const told = await plan(file);
  expect(told.code).toBe(0);
  expect(told.out).toMatch(
    /Source {4}mp4, 6\.0 s, h264 1280×720 at 25\.00 frames\/s, aac with 1 channels\nQuality {3}720p/,
  );
  expect(told.out).toMatch(/480p {5}encoded, 854×480, CRF 21, at most 1\.6 Mb\/s/);
  expect(told.out).toMatch(/360p {5}encoded, 640×360, CRF 25, at most 0\.365 Mb\/s/);
  expect(told.out).toMatch(/Memory {4}\d+ MiB/);

  const {
    plan: made,
    quality,
    demand,
  } = JSON.parse((await plan(file, '--quality', '480p', '--json')).out) as PrintedPlan;
  expect(quality).toBe('480p');
  expect(made.renditions.map((rendition) => rendition.quality)).toEqual(['480p', '432p', '360p', 'audio']);
  expect(made.missing).toBeNull();
  expect(demand.bytes).toBeGreaterThan(60 * 1024 * 1024);
});

it.each([
  ['a missing argument', [], 2, 'Usage: dhara plan FILE'],
  ['a file that does not exist', ['nothing.mp4'], 1, 'There is no file'],
  ['a file that is not a video', ['package.json'], 1, '(NOT_MEDIA)'],
  ['a file that is not a video, to programs', ['package.json', '--json'], 1, '{"error":{"code":"NOT_MEDIA"'],
  ['an unknown quality', ['package.json', '--quality', '999p'], 2, 'Usage: dhara plan FILE'],
])('reports %s in one line', async (_, args, exitCode, message) => {
  const { code, out, err } = await plan(...args);
  expect({ code, out }).toEqual({ code: exitCode, out: '' });
  expect(err).toContain(message);
  expect(err).not.toContain('    at ');
});
