import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';

import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { createFfmpegTranscoder } from '../../../src/adapters/transcode/ffmpegTranscoder.js';
import { AppError } from '../../../src/errors.js';
import { UnusableSourceError, type Transcoder } from '../../../src/ports/transcoder.js';
import { Chance } from '../../support/proofs/chance.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { filesBelow } from '../../support/filesBelow.js';
import { makeClip, mediaFolder } from '../../support/media.js';
import { Pipeline, pipelineFolder } from '../../support/worker/pipeline.js';
import { Canaries } from './canaries.js';
import { BOMBS } from './corpus/bombs.js';
import { CONTAINERS } from './corpus/containers.js';
import { DAMAGE, mutations, ODD_NAMES, truncations } from './corpus/damage.js';
import { DISGUISES } from './corpus/disguises.js';
import { makeGoodFiles, type GoodFiles } from './corpus/goodFiles.js';
import type { HostileFile } from './corpus/hostileFile.js';
import { INFLATION } from './corpus/inflation.js';
import { REFERENCES } from './corpus/references.js';
import { IS_FULL } from '../../support/effort.js';
import { LONG_WAIT_MS, TEST_MS } from '../../support/deadlines.js';

/*
 * Every file of the corpus is handled like any upload: uploaded, measured, bought, processed. Whatever the file is, no
 * other file and no address is opened, the money is where it belongs, the owner gets a message, no process grows to
 * what a file claims, and the worker continues.
 */
const MUTATIONS = IS_FULL ? 400 : 20;
/** Boxes after which a video is cut off: each one, or every so many-th. */
const TRUNCATED_BOXES = IS_FULL ? 1 : 5;
/** A video of one second cannot keep the machine busy. */
const VIDEOS_AT_ONCE = 2;
const ENDS_WITHIN_MS = IS_FULL ? 1_200_000 : LONG_WAIT_MS;
/** Limit for the service's process per group of files. Holding the contents of any bomb would exceed it. */
const MOST_MEMORY_BYTES = 1024 ** 3;
const CREDITS = 100_000n;
const CREDIT = 1_000_000n;
const FAILURES = ['UNUSABLE_SOURCE', 'SOURCE_DAMAGED', 'LIMIT_EXCEEDED', 'PROCESSING_FAILED', 'INVALID_INPUT'];

let database: TestDatabase;
let folder: Awaited<ReturnType<typeof pipelineFolder>>;
let media: Awaited<ReturnType<typeof mediaFolder>>;
let pipeline: Pipeline;
let canaries: Canaries;
let good: GoodFiles;
/** Without bubblewrap: only sniffing and ffmpeg's own arguments keep a video from other files. */
let bare: Transcoder;
const log: string[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  folder = await pipelineFolder();
  media = await mediaFolder();
  canaries = await Canaries.open();
  good = await makeGoodFiles(media.path);
  bare = await createFfmpegTranscoder({ preset: 'ultrafast', useBwrap: false });
  const lines = new Writable({
    write(chunk: Buffer, _, done) {
      log.push(chunk.toString());
      done();
    },
  });
  pipeline = await Pipeline.start({
    databaseUrl: database.runtimeUrl,
    dir: folder.path,
    works: true,
    concurrency: VIDEOS_AT_ONCE,
    logger: pino({ level: 'debug' }, lines),
  });
});

afterAll(async () => {
  await pipeline?.stop();
  await canaries?.[Symbol.asyncDispose]();
  await database?.drop();
  await folder?.[Symbol.asyncDispose]();
  await media?.[Symbol.asyncDispose]();
});

test('the canaries work', async () => {
  expect(await canaries.sing()).toBe(true);
});

test.each<[string, () => readonly HostileFile[]]>([
  ['playlists and other texts disguised as videos', () => DISGUISES],
  ['videos that refer to other files', () => REFERENCES],
  ['files that inflate', () => INFLATION],
  ['bombs', () => BOMBS],
  ['discs, tapes, broadcasts, Flash, Windows Media and GIF', () => CONTAINERS],
  ['files that are not videos', () => DAMAGE],
  ['videos with odd names', () => ODD_NAMES],
  ['videos that end early', () => truncations(good.faststart, TRUNCATED_BOXES)],
  ['videos with flipped bits', () => mutations(Chance.of('flipped bits'), MUTATIONS, { good })],
])(
  '%s open nothing else, leave the books right, and do not stop the worker',
  async (_, files) => {
    const peakBytesBefore = peakBytes();
    const accountId = await pipeline.account(CREDITS);
    const uploads = [];
    for (const file of files()) uploads.push({ file, videoId: await upload(accountId, file) });

    for (const { file, videoId } of uploads) {
      if (videoId === null) continue;
      const video = await pipeline
        .until(accountId, videoId, ({ status }) => status === 'ready' || status === 'failed', ENDS_WITHIN_MS)
        .catch(async (cause: unknown) => {
          throw new Error(`${file.name}: ${JSON.stringify(await pipeline.videos.get(accountId, videoId))}`, { cause });
        });
      if (file.ends) expect(video.status, `${file.name}: ${video.failureMessage}`).toBe(file.ends);
      if (video.status === 'ready') continue;
      expect(FAILURES, file.name).toContain(video.failureCode);
      expect(video.failureMessage, file.name).toMatch(/^[A-Z].{15,}\.$/s);
      expect(video.failureMessage, file.name).not.toMatch(/\/tmp|ffmpeg|undefined|NaN/);
    }
    const books = await pipeline.books(accountId);
    expect(books).toMatchObject({ escrow: 0n, faults: 0 });
    expect(books.creative + books.revenue).toBe(CREDITS * CREDIT);
    expect(peakBytes() - peakBytesBefore).toBeLessThan(MOST_MEMORY_BYTES);

    await canariesAreUntouched();
    await worksStill();
  },
  ENDS_WITHIN_MS + TEST_MS,
);

test('other files and addresses stay unopened even without bubblewrap', async () => {
  for (const file of [...DISGUISES, ...REFERENCES]) {
    const path = join(media.path, 'bare');
    await writeFile(path, await file.make({ folder: media.path, canaries, good }));
    const refusal = await bare.probe(path).then(
      () => null,
      (error: unknown) => error,
    );
    if (refusal !== null) expect(refusal, file.name).toBeInstanceOf(UnusableSourceError);
  }
  await canariesAreUntouched();
});

/** @returns null if the name alone was refused */
async function upload(accountId: string, file: HostileFile): Promise<string | null> {
  const bytes = await file.make({ folder: media.path, canaries, good });
  const path = join(media.path, 'upload');
  await writeFile(path, bytes);
  try {
    const { video, upload: sent } = await pipeline.videos.create(accountId, {
      filename: file.filename ?? 'video.mp4',
      sizeBytes: Math.max(1, bytes.length),
      quality: '480p',
      autoProcess: true,
    });
    await pipeline.store.put(`sources/${accountId}/${video.id}/${sent.uploadId}`, createReadStream(path));
    await pipeline.uploads.finish({ accountId, uploadId: sent.uploadId });
    return video.id;
  } catch (error) {
    expect(error, file.name).toBeInstanceOf(AppError);
    return null;
  }
}

/** The peak memory of this process. */
function peakBytes(): number {
  return process.resourceUsage().maxRSS * 1024;
}

async function canariesAreUntouched(): Promise<void> {
  expect(canaries.calls).toBe(0);
  expect(await canaries.wasRead()).toBe(false);
  expect(log.join('')).not.toContain(canaries.marker);
  // The sweep of refused uploads runs meanwhile.
  for await (const { path, bytes } of filesBelow(join(folder.path, 'media'))) {
    expect(bytes.includes(canaries.marker), path).toBe(false);
  }
  for (const table of ['video', 'processing', 'rendition', 'caption', 'quote']) {
    const [row] = await pipeline.db.sql.query<{ found: string }>(
      { name: '', text: `select count(*) as found from ${table} t where position($1 in t::text) > 0` },
      [canaries.marker],
    );
    expect(row!.found, table).toBe('0');
  }
}

/** The worker that met these files processes the next good video. */
async function worksStill(): Promise<void> {
  const accountId = await pipeline.account(1n);
  const clip = await makeClip(media.path, { name: 'next.mp4', durationSeconds: 1, width: 160, height: 90 });
  const videoId = await pipeline.uploaded(accountId, clip, { quality: '480p' });
  const video = await pipeline.until(
    accountId,
    videoId,
    ({ status }) => status === 'ready' || status === 'failed',
    60_000,
  );
  expect(video).toMatchObject({ status: 'ready' });
}
