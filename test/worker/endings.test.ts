import { afterEach, beforeEach, expect, test } from 'vitest';

import { createTestDatabase, type TestDatabase } from '../setup/database.js';
import { makeClip, mediaFolder } from '../setup/media.js';
import { Pipeline, pipelineFolder } from './pipeline.js';

/** Of one picture and its sound, so that each film is one encode. */
const CLIP = { durationSeconds: 2, width: 160, height: 120 };

let database: TestDatabase;
let folder: Awaited<ReturnType<typeof pipelineFolder>>;
let media: Awaited<ReturnType<typeof mediaFolder>>;
let pipeline: Pipeline;
/** Called with the number of encodes so far, when one is done and nothing of it is stored. */
let onEncoded: (encodes: number) => Promise<void>;

beforeEach(async () => {
  database = await createTestDatabase();
  folder = await pipelineFolder();
  media = await mediaFolder();
  let encodes = 0;
  pipeline = await Pipeline.start({
    databaseUrl: database.runtimeUrl,
    dir: folder.path,
    works: true,
    onEncoded: () => onEncoded((encodes += 1)),
  });
});

afterEach(async () => {
  await pipeline.stop();
  await database.drop();
  await folder[Symbol.asyncDispose]();
  await media[Symbol.asyncDispose]();
});

test('a worker with one slot encodes the next film while one is at its end', async () => {
  const second = Promise.withResolvers<void>();
  onEncoded = async (encodes) => {
    if (encodes === 2) second.resolve();
    if (encodes === 1) await second.promise;
  };
  const { accountId, videoIds } = await buyFilms(3);

  for (const videoId of videoIds) await pipeline.until(accountId, videoId, ({ status }) => status === 'ready');
  expect(await pipeline.books(accountId)).toMatchObject({ escrow: 0n });
});

test('a film whose end fails beside the next one is made again, and both are charged once', async () => {
  const second = Promise.withResolvers<void>();
  onEncoded = async (encodes) => {
    if (encodes === 2) second.resolve();
    if (encodes !== 1) return;
    await second.promise;
    throw new Error('the disk went away');
  };
  const { accountId, videoIds, priceMicros } = await buyFilms(2);

  for (const videoId of videoIds) await pipeline.until(accountId, videoId, ({ status }) => status === 'ready');
  expect(await pipeline.books(accountId)).toMatchObject({ escrow: 0n, revenue: priceMicros });
});

async function buyFilms(
  count: number,
): Promise<{ accountId: string; videoIds: readonly string[]; priceMicros: bigint }> {
  const accountId = await pipeline.account(100n);
  const clip = await makeClip(media.path, CLIP);
  const videoIds: string[] = [];
  for (let film = 0; film < count; film += 1) videoIds.push(await pipeline.measured(accountId, clip));
  for (const videoId of videoIds) await pipeline.buy(accountId, videoId, '480p');
  const { escrow } = await pipeline.books(accountId);
  return { accountId, videoIds, priceMicros: escrow };
}
