import { setTimeout as delay } from 'node:timers/promises';

import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { groupOf, unitOf } from '../../src/domain/media/objects/storeUnits.js';
import { doChores } from '../../src/worker/chores.js';
import { sweepChores } from '../../src/worker/sweep.js';
import { WorkFolders } from '../../src/worker/workFolder.js';
import { Chance } from '../support/proofs/chance.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { makeClip, mediaFolder } from '../support/media.js';
import { Pipeline, pipelineFolder } from '../support/worker/pipeline.js';
import { WorkerChild } from '../support/worker/workerChild.js';
import { IS_FULL } from '../support/effort.js';
import { TEST_MS } from '../support/deadlines.js';

/*
 * Three workers process several videos, and are killed and suspended at random moments. Whatever they were doing
 * (measuring, encoding, moving files, publishing), every video ends, is charged once or not at all, and nothing is left
 * over.
 */
const FAULTS = IS_FULL ? 30 : 4;
const WORKERS = 3;
const VIDEOS = IS_FULL ? 20 : 5;
const ACCOUNTS = 4;
const CREDITS = 1_000n;
const CREDIT = 1_000_000n;
/** A suspended worker's job goes to another after fifteen seconds: some wake before, some after. */
const LONGEST_FREEZE_MS = 25_000;
const LONGEST_CALM_MS = 3_000;
const ENDS_WITHIN_MS = 600_000;
const QUALITIES = ['480p', '720p'] as const;

let database: TestDatabase;
let folder: Awaited<ReturnType<typeof pipelineFolder>>;
let media: Awaited<ReturnType<typeof mediaFolder>>;
let pipeline: Pipeline;
const workers: WorkerChild[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  folder = await pipelineFolder();
  media = await mediaFolder();
  pipeline = await Pipeline.start({ databaseUrl: database.runtimeUrl, dir: folder.path, works: false });
});

afterAll(async () => {
  for (const worker of workers) await worker.end('SIGKILL');
  await pipeline?.stop();
  await database?.drop();
  await folder?.[Symbol.asyncDispose]();
  await media?.[Symbol.asyncDispose]();
});

test(
  `${FAULTS} × kill -9 or SIGSTOP at random moments of ${VIDEOS} videos: every video ends, charged at most once`,
  async () => {
    const chance = Chance.of('worker kills');
    const clips = [
      await makeClip(media.path, { name: 'short.mp4', durationSeconds: 2, width: 320, height: 180 }),
      await makeClip(media.path, { name: 'longer.mkv', durationSeconds: 16, width: 640, height: 360 }),
      await makeClip(media.path, { name: 'large.mp4', durationSeconds: 4, width: 1280, height: 720 }),
    ];
    const accounts: string[] = [];
    for (let n = 0; n < ACCOUNTS; n += 1) accounts.push(await pipeline.account(CREDITS));
    for (let n = 0; n < WORKERS; n += 1) workers.push(await startWorker());
    const videos: { accountId: string; videoId: string }[] = [];
    for (let n = 0; n < VIDEOS; n += 1) {
      const accountId = accounts[n % ACCOUNTS]!;
      const quality = QUALITIES[chance.below(QUALITIES.length)]!;
      videos.push({
        accountId,
        videoId: await pipeline.uploaded(accountId, clips[chance.below(clips.length)]!, { quality }),
      });
    }

    const thawing: Promise<void>[] = [];
    for (let fault = 0; fault < FAULTS; fault += 1) {
      await delay(chance.below(LONGEST_CALM_MS));
      const victim = chance.below(WORKERS);
      if (chance.below(5) < 3) {
        await workers[victim]!.end('SIGKILL');
        workers[victim] = await startWorker();
      } else {
        thawing.push(freeze(workers[victim]!, chance.below(LONGEST_FREEZE_MS)));
      }
    }
    await Promise.all(thawing);

    const prices = new Map(accounts.map((accountId) => [accountId, 0n]));
    for (const { accountId, videoId } of videos) {
      const { status, failureCode, failureMessage } = await pipeline.until(
        accountId,
        videoId,
        (video) => video.status === 'ready' || video.status === 'failed',
        ENDS_WITHIN_MS,
      );
      if (status === 'failed') {
        expect(failureCode).toBe('PROCESSING_FAILED');
        expect(failureMessage).toMatch(/^[A-Z].{15,}\.$/s);
      } else {
        const { priceMicros } = await pipeline.processingOf(accountId, videoId);
        prices.set(accountId, prices.get(accountId)! + priceMicros);
      }
    }
    for (const worker of workers.splice(0)) await worker.end('SIGTERM');

    for (const accountId of accounts) {
      const charged = prices.get(accountId)!;
      expect(await pipeline.books(accountId)).toEqual({
        creative: CREDITS * CREDIT - charged,
        escrow: 0n,
        revenue: charged,
        faults: 0,
      });
    }
    await sweep();
    expect(await unitsInStore()).toEqual(await unitsInRows());
    expect(await new WorkFolders(pipeline.workDir).list()).toEqual([]);
  },
  ENDS_WITHIN_MS + TEST_MS,
);

function startWorker(): Promise<WorkerChild> {
  return WorkerChild.start({
    databaseUrl: database.runtimeUrl,
    dir: folder.path,
    preset: 'medium',
    // The shortest plays when it is complete, the others earlier.
    earlyPlayFromSeconds: 3,
    // The longest is made by several workers at once.
    chunks: { chunksFromSeconds: 8, chunkSeconds: 8 },
  });
}

/** A worker that is killed while it is suspended needs no special handling. */
async function freeze(worker: WorkerChild, forMs: number): Promise<void> {
  worker.signal('SIGSTOP');
  await delay(forMs);
  worker.signal('SIGCONT');
}

/** Runs all per-minute chores until there is nothing to do. */
async function sweep(): Promise<void> {
  const { signal } = new AbortController();
  const chores = sweepChores({ ...pipeline.services(), folders: new WorkFolders(pipeline.workDir) });
  for (let round = 0; round < 3; round += 1) await doChores(chores, signal, pino({ level: 'silent' }));
}

/** What is in the store, grouped as the rows are. */
async function unitsInStore(): Promise<string[]> {
  const keys = [...(await pipeline.keys('videos/')), ...(await pipeline.keys('sources/'))];
  return [...new Set(keys.map((key) => unitOf(key, groupOf(key).key)))].toSorted();
}

async function unitsInRows(): Promise<string[]> {
  const rows = await pipeline.db.sql.query<{ key: string }>({
    name: '',
    text: 'select key from stored_object where removed_at is null',
  });
  return rows.map(({ key }) => key).toSorted();
}
