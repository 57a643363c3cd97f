import { createWriteStream } from 'node:fs';
import { readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline as flow } from 'node:stream/promises';

import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { DiskObjectStore } from '../../../src/adapters/store/disk.js';
import { FallbackObjectStore } from '../../../src/adapters/store/fallback.js';
import { ScratchFolder } from '../../../src/adapters/store/scratchFolder.js';
import { createFfmpegTranscoder } from '../../../src/adapters/transcode/ffmpegTranscoder.js';
import { CaptionService } from '../../../src/domain/media/captions/caption.service.js';
import type { Transcoder } from '../../../src/ports/transcoder.js';
import { processVideo } from '../../../src/worker/processVideo.js';
import { withWholeSource } from '../../../src/worker/wholeSource.js';
import { WorkFolders } from '../../../src/worker/workFolder.js';
import { createTestDatabase } from '../../support/database.js';
import { ffmpeg, makeClip } from '../../support/media.js';
import { Pipeline, pipelineFolder } from '../../support/worker/pipeline.js';

const FIVE_HOURS_MS = 5 * 3_600_000;
const SRT = '1\n00:00:01,000 --> 00:00:02,500\nHello there\n';
const live = new AbortController().signal;
const cleanUp = new AsyncDisposableStack();
let dir: string;
let video: string;
let transcoder: Transcoder;

beforeAll(async () => {
  dir = cleanUp.use(await pipelineFolder()).path;
  transcoder = withWholeSource(await createFfmpegTranscoder({ preset: 'ultrafast', searchPath: process.env['PATH'] }));
  const clip = await makeClip(dir, { name: 'plain.mp4', durationSeconds: 4 });
  await writeFile(join(dir, 'texts.srt'), SRT);
  video = join(dir, 'video.mkv');
  await ffmpeg('-i', clip, '-i', join(dir, 'texts.srt'), '-c', 'copy', '-c:s', 'subrip', video);
});
afterAll(() => cleanUp.disposeAsync());

/** Lends copies, as a bucket does. */
class LendingStore extends FallbackObjectStore {
  constructor(
    disk: DiskObjectStore,
    readonly copies: ScratchFolder,
  ) {
    super(disk, disk);
  }

  override withLocalFile<T>(key: string, use: (path: string) => Promise<T>): Promise<T> {
    return this.copies.lend(async (path) => {
      await flow((await this.get(key))!.body, createWriteStream(path));
      return use(path);
    });
  }
}

test('a worker that was suspended for hours during a run tries again, and nothing of the video is missing', async () => {
  const database = await createTestDatabase();
  cleanUp.defer(() => database.drop());
  const lentDir = join(dir, 'lent');
  const disk = await DiskObjectStore.open({ dir: join(dir, 'media') });
  const store = new LendingStore(disk, await ScratchFolder.open(lentDir));
  let standsStill = true;
  const onEncoded = async (): Promise<void> => {
    if (!standsStill) return;
    standsStill = false;
    const then = new Date(Date.now() - FIVE_HOURS_MS);
    for (const name of await readdir(lentDir)) await utimes(join(lentDir, name), then, then);
    expect(await store.copies.removeLeftovers()).toBe(1);
  };
  const pipeline = await Pipeline.start({ databaseUrl: database.runtimeUrl, dir, works: false, store, onEncoded });
  cleanUp.defer(() => pipeline.stop());
  const accountId = await pipeline.account(10n);
  const videoId = await pipeline.measured(accountId, video);
  const attempt = await pipeline.buy(accountId, videoId, '480p');
  const deps = {
    ...pipeline.services(),
    transcoder: withWholeSource(pipeline.transcoder),
    folders: new WorkFolders(pipeline.workDir),
    logger: pino({ level: 'silent' }),
  };
  const job = { data: { accountId, videoId, attempt }, signal: live };

  await expect(processVideo(deps, job)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  expect(await pipeline.videos.get(accountId, videoId)).toMatchObject({ status: 'processing', failureCode: null });
  expect(await pipeline.keys('videos/')).toEqual([]);

  await processVideo(deps, job);
  expect((await pipeline.videos.get(accountId, videoId)).status).toBe('ready');
  const [captions] = await new CaptionService(pipeline.db).list(accountId, [videoId]);
  expect(captions).toHaveLength(1);
  expect(await readdir(lentDir)).toEqual([]);
});

test('an error of ffmpeg is ignored if its file is gone, and believed if the file exists', async () => {
  const probe = await transcoder.probe(video);
  expect(await transcoder.subtitles({ sourcePath: video, probe, outputDir: join(dir, 'there') })).toHaveLength(1);
  const gone = { sourcePath: join(dir, 'gone.mkv'), probe, outputDir: join(dir, 'gone') };
  const tryAgain = { code: 'SERVICE_UNAVAILABLE' };
  await expect(transcoder.subtitles(gone)).rejects.toMatchObject(tryAgain);
  await expect(transcoder.canCut(gone)).rejects.toMatchObject(tryAgain);
  await expect(transcoder.probe(gone.sourcePath)).rejects.toMatchObject(tryAgain);
  await expect(transcoder.encode({ ...gone, renditions: [] })).rejects.toMatchObject(tryAgain);

  const noVideo = join(dir, 'texts.srt');
  await expect(transcoder.probe(noVideo)).rejects.toMatchObject({ name: 'UnusableSourceError' });
  const stopped = AbortSignal.abort(new Error('the worker stops'));
  await expect(transcoder.probe(gone.sourcePath, { signal: stopped })).rejects.not.toMatchObject(tryAgain);
  await rm(noVideo);
});
