import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { createFfmpegTranscoder } from '../../../src/adapters/transcode/ffmpegTranscoder.js';
import { renditionsFor } from '../../../src/domain/media/pipeline/ladder.js';
import { makeClip, mediaFolder } from '../../support/media.js';

/*
 * How much memory ffmpeg and ffprobe may use, whatever a file contains. Programs in their place report their limits,
 * and fail.
 */
const KIB_IN_GIB = 1024 ** 2;
const SAYS_LIMITS = `#!/bin/sh
case " $* " in *" -version "* | *" -filters "*) exit 0 ;; esac
echo "allowed $(ulimit -v)" >&2
exit 1
`;

let folder: Awaited<ReturnType<typeof mediaFolder>>;

beforeEach(async () => {
  folder = await mediaFolder();
  await chmod(folder.path, 0o755);
});

afterEach(() => folder?.[Symbol.asyncDispose]());

test.each([{ useBwrap: true }, { useBwrap: false }])(
  'a measured file may take two gigabytes on the largest machine, an encoded file what its encoders reserve (%j)',
  async ({ useBwrap }) => {
    const clip = await makeClip(folder.path, { durationSeconds: 1, width: 64, height: 64 });
    const probe = await (await createFfmpegTranscoder({ searchPath: process.env['PATH'] })).probe(clip);
    for (const name of ['ffmpeg', 'ffprobe']) await writeFile(join(folder.path, name), SAYS_LIMITS, { mode: 0o755 });
    const transcoder = await createFfmpegTranscoder({
      ffmpegPath: join(folder.path, 'ffmpeg'),
      searchPath: process.env['PATH'],
      maxMemoryBytes: 68 * 1024 ** 3,
      useBwrap,
    });
    const renditions = renditionsFor('480p', probe);
    const outputDir = join(folder.path, 'out');

    expect(await allowedKib(transcoder.probe(clip))).toBe(2 * KIB_IN_GIB);
    expect(await allowedKib(transcoder.encode({ sourcePath: clip, probe, renditions, outputDir }))).toBe(
      68 * KIB_IN_GIB,
    );
  },
);

/** What the program printed before it failed. */
async function allowedKib(run: Promise<unknown>): Promise<number> {
  const error: unknown = await run.catch((cause: unknown) => cause);
  return Number(/^allowed (\d+)$/m.exec((error as { technicalTail?: string }).technicalTail ?? '')?.[1]);
}
