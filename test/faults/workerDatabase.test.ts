import { kill } from 'node:process';

import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { startEmbeddedPostgres, type EmbeddedPostgres } from '../../src/db/embedded/index.js';
import { migrate } from '../../src/db/migrate.js';
import { makeDataDir, removeDataDir } from '../support/dataDir.js';
import { makeClip, mediaFolder } from '../support/media.js';
import { Pipeline, pipelineFolder, until } from '../support/worker/pipeline.js';

const CREDIT = 1_000_000n;

let dataDir: string;
let postgres: EmbeddedPostgres;
let folder: Awaited<ReturnType<typeof pipelineFolder>>;
let media: Awaited<ReturnType<typeof mediaFolder>>;
let pipeline: Pipeline;

beforeAll(async () => {
  dataDir = (await makeDataDir('dhara-killed-')).path;
  postgres = await startEmbeddedPostgres({ dataDir, log: pino({ level: 'silent' }) });
  await migrate(postgres);
  folder = await pipelineFolder();
  media = await mediaFolder();
  pipeline = await Pipeline.start({ databaseUrl: postgres.runtimeUrl, dir: folder.path, works: true, preset: 'slow' });
});

afterAll(async () => {
  await pipeline.stop();
  await postgres.stop();
  await removeDataDir(dataDir);
  await folder[Symbol.asyncDispose]();
  await media[Symbol.asyncDispose]();
});

test('the database is killed during an encode: the video becomes ready, charged once', async () => {
  const accountId = await pipeline.account(10n);
  const clip = await makeClip(media.path, { durationSeconds: 20, width: 854, height: 480 });
  const videoId = await pipeline.measured(accountId, clip);
  await pipeline.buy(accountId, videoId, '480p');
  await until(async () => (await pipeline.processingOf(accountId, videoId)).percent > 0);

  const killed = postgres.pid();
  kill(killed, 'SIGKILL');
  await until(async () => postgres.pid() !== killed && postgres.pid() !== 0);

  const ready = await until(async () => {
    const video = await pipeline.videos.get(accountId, videoId).catch(() => null);
    return video?.status === 'ready' || video?.status === 'failed' ? video : null;
  });
  expect(ready.status).toBe('ready');
  const { priceMicros } = await pipeline.processingOf(accountId, videoId);
  expect(await pipeline.books(accountId)).toEqual({
    creative: 10n * CREDIT - priceMicros,
    escrow: 0n,
    revenue: priceMicros,
    faults: 0,
  });

  // The queue has recovered too.
  const next = await pipeline.uploaded(accountId, clip, { quality: '480p' });
  await pipeline.until(accountId, next, ({ status }) => status === 'ready');
});
