import { Readable, Writable } from 'node:stream';

import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { newId } from '../../../src/domain/shared/ids.js';
import { FencedError } from '../../../src/domain/media/pipeline/attempt.service.js';
import type { ChunkClaim } from '../../../src/domain/media/pipeline/chunk.service.js';
import type { ChunkFacts } from '../../../src/domain/media/pipeline/processingChunk.entity.js';
import { renditionsFor } from '../../../src/domain/media/pipeline/ladder.js';
import type { RenditionReceipt } from '../../../src/domain/media/pipeline/receipt.js';
import type { ProcessVideoJob } from '../../../src/ports/jobQueue.js';
import type { EncodedChunkRendition, RenditionRecipe, VideoRendition } from '../../../src/ports/transcoder.js';
import { processVideo } from '../../../src/worker/processVideo.js';
import { takeOverChunk } from '../../../src/worker/takeOverChunk.js';
import { WorkFolders } from '../../../src/worker/workFolder.js';
import { makeClip } from '../../support/media.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { paperProbe } from '../../support/worker/paperProbe.js';
import { Pipeline, pipelineFolder, until } from '../../support/worker/pipeline.js';
import {
  bytesOf,
  chunkStates,
  countedBytes,
  countFrames,
  digestOf,
  sha256,
  storedBytes,
  topRenditionOf,
  type StoredRendition,
} from './storedVideo.js';

const SECONDS = 16;
const CHUNKS = 4;
const SETTINGS = { chunksFromSeconds: 10, chunkSeconds: 4, earlyPlayFromSeconds: 1 };

let database: TestDatabase;
let folder: Awaited<ReturnType<typeof pipelineFolder>>;
let pipeline: Pipeline;
let clip: string;

beforeAll(async () => {
  database = await createTestDatabase();
  folder = await pipelineFolder();
  clip = await makeClip(folder.path, { name: 'video.mp4', durationSeconds: SECONDS, width: 1280, height: 320 });
  pipeline = await Pipeline.start({
    databaseUrl: database.runtimeUrl,
    dir: folder.path,
    works: false,
    segmentsPerKey: 2,
  });
});

afterAll(async () => {
  await pipeline.stop();
  await database.drop();
  await folder[Symbol.asyncDispose]();
});

test('a run whose worker is suspended at its chunks: the next run adopts what is finished, under its own keys', async () => {
  const video = await bought({ encryption: true });
  const first = new Run(video);
  const refused = expect(first.ended).rejects.toThrow(FencedError);
  await until(async () => first.made().length >= 2);
  const before = await segmentsOf(video, 1);
  const second = new Run(video);
  await refused;
  await pipeline.leftovers.sweepStore();
  await second.ended;

  expect(first.made().length + second.made().length).toBe(CHUNKS);
  expect(second.takenOver()).toEqual(first.made());
  const { prefix, names } = await expectWhole(video);
  expect(prefix).toContain('/1-2/');
  for (const [name, bytes] of before) {
    expect(names).toContain(name);
    expect((await bytesOf(pipeline, prefix + name)).equals(bytes)).toBe(false);
  }
  await expectNothingElse(video);
});

test('a run that is stopped at its chunks: the next run adopts what is finished, and makes what was damaged or lost', async () => {
  const video = await bought({ encryption: false });
  const stop = new AbortController();
  const first = new Run(video, stop.signal);
  const stopped = expect(first.ended).rejects.toThrow();
  await until(async () => first.made().length >= 3);
  stop.abort(new Error('the machine is needed'));
  await stopped;
  const before = await segmentsOf(video, 1);
  const [[gone], [spoiled, bytes]] = before as [[string, Buffer], [string, Buffer]];
  await pipeline.store.delete(renditionPrefix(video, 1) + gone);
  await pipeline.store.put(renditionPrefix(video, 1) + spoiled, Readable.from([bytes.fill(0, bytes.length - 100)]));
  const second = new Run(video);
  await second.ended;

  expect(second.made()).toEqual(expect.arrayContaining([0, 1]));
  expect(second.takenOver()).toEqual(first.made().filter((chunk) => chunk > 1));
  const { prefix } = await expectWhole(video);
  for (const chunk of second.takenOver()) {
    const [name, made] = before[chunk]!;
    expect((await bytesOf(pipeline, prefix + name)).equals(made)).toBe(true);
  }
  await expectNothingElse(video);
});

test('chunks of another encoder are not adopted', async () => {
  const [accountId, videoId] = [newId(), newId()];
  const [before, now] = [1, 2].map((run) => `videos/${accountId}/${videoId}/1-${run}/`) as [string, string];
  const [rendition] = renditionsFor('480p', paperProbe(4_000, 480)) as [VideoRendition];
  const recipe = pipeline.transcoder.recipeOf(rendition);
  await pipeline.store.put(`${before}480p/seg_00000_3.m4s`, Readable.from([Buffer.from('pictures')]));
  const takeOver = (madeBy: RenditionRecipe): Promise<ChunkFacts | null> => {
    const made: EncodedChunkRendition = {
      quality: '480p',
      init: '',
      segments: [{ seconds: 4, sizeBytes: 8 }],
      making: { ...madeBy, similarity: null },
    };
    const facts = { renditions: [made], digests: { '480p': [sha256('pictures')] }, vectors: null };
    const claim: ChunkClaim = {
      accountId,
      videoId,
      attempt: 1,
      run: 2,
      chunk: 0,
      fence: 1,
      span: { firstSegment: 0, endSegment: 1 },
      boundaries: null,
      renditions: [rendition],
      sourceKey: 'sources/none',
      probe: paperProbe(4_000, 480),
      encryption: false,
      brand: null,
      outputPrefix: now,
      made: { run: 1, fence: 3, outputPrefix: before, facts },
    };
    const { signal } = new AbortController();
    const deps = { ...pipeline.services(), store: pipeline.store, transcoder: pipeline.transcoder };
    const logger = pino({ level: 'silent' });
    return takeOverChunk({ ...deps, logger }, claim, { keys: null, signal, onCopied: () => undefined });
  };

  expect(await takeOver({ ...recipe, profile: `${recipe.profile}-of-before` })).toBeNull();
  expect(await takeOver({ ...recipe, ffmpegVersion: '0.5' })).toBeNull();
  expect(await pipeline.keys(now)).toEqual([]);
  expect(await takeOver(recipe)).toMatchObject({ digests: { '480p': [sha256('pictures')] } });
  expect(await pipeline.keys(now)).toEqual([`${now}480p/seg_00000_1.m4s`]);
});

/** A worker processing one video, in this process. */
class Run {
  readonly ended: Promise<void>;
  private readonly lines: { msg: string; chunk: number; taken: boolean }[] = [];

  constructor(data: ProcessVideoJob, signal = new AbortController().signal) {
    const log = new Writable({
      write: (line: Buffer, _encoding, done) => {
        this.lines.push(JSON.parse(line.toString()) as (typeof this.lines)[number]);
        done();
      },
    });
    const { store, transcoder, workDir } = pipeline;
    const folders = new WorkFolders(workDir);
    const deps = { ...pipeline.services(), ...SETTINGS, store, transcoder, folders, logger: pino(log) };
    this.ended = processVideo(deps, { data, signal });
  }

  made(): number[] {
    return this.chunks('chunk made');
  }

  takenOver(): number[] {
    return this.chunks('chunk taken over');
  }

  private chunks(text: string): number[] {
    return this.lines.filter(({ msg, taken }) => msg === text && taken).map(({ chunk }) => chunk);
  }
}

type Video = ProcessVideoJob;

async function bought({ encryption }: { encryption: boolean }): Promise<Video> {
  const accountId = await pipeline.account(10n);
  const videoId = await pipeline.measured(accountId, clip);
  return { accountId, videoId, attempt: await pipeline.buy(accountId, videoId, '720p', { encryption }) };
}

function renditionPrefix({ accountId, videoId, attempt }: Video, run: number): string {
  return `videos/${accountId}/${videoId}/${attempt}-${run}/720p/`;
}

/** The segments of the rendition that is made in chunks, in playing order. */
async function segmentsOf(video: Video, run: number): Promise<[name: string, bytes: Buffer][]> {
  const prefix = renditionPrefix(video, run);
  const keys = (await pipeline.keys(prefix)).filter((key) => key.endsWith('.m4s'));
  return Promise.all(
    keys.map(async (key): Promise<[string, Buffer]> => [key.slice(prefix.length), await bytesOf(pipeline, key)]),
  );
}

/** Every frame plays, the receipt matches the stored files, and the video was charged once. */
async function expectWhole(video: Video): Promise<StoredRendition> {
  const { accountId, videoId } = video;
  expect(await pipeline.videos.get(accountId, videoId)).toMatchObject({
    status: 'ready',
    playableRungs: ['720p', '480p', '432p', '360p', 'audio'],
  });
  expect(await pipeline.books(accountId)).toMatchObject({ escrow: 0n, faults: 0 });
  const rendition = await topRenditionOf(pipeline, video);
  const [row] = await pipeline.db.sql.query<{ receipt: RenditionReceipt }>(
    {
      name: 'test-receipt',
      text: `select receipt from rendition where account_id = $1 and video_id = $2 and quality = '720p'`,
    },
    [accountId, videoId],
  );
  expect(row!.receipt.sha256).toBe(await digestOf(pipeline, rendition));
  expect(await countFrames(pipeline, video, folder.path)).toBe(SECONDS * 25);
  return rendition;
}

/** After the sweep, everything in the store is charged for, and no chunk is left. */
async function expectNothingElse(video: Video): Promise<void> {
  await pipeline.chunks.sweep();
  await pipeline.leftovers.sweepStore();
  expect(await storedBytes(pipeline, video)).toBe(await countedBytes(pipeline, video));
  expect(await chunkStates(pipeline, video)).toEqual([]);
}
