import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';

import pg from 'pg';
import { pino } from 'pino';
import { expect, test } from 'vitest';

import { newId } from '../../../src/domain/shared/ids.js';
import { lockEscrow } from '../../../src/domain/ledger/escrow.js';
import { measureUpload } from '../../../src/worker/measureUpload.js';
import { doChores } from '../../../src/worker/chores.js';
import { createWorker } from '../../../src/worker/createWorker.js';
import { sweepChores } from '../../../src/worker/sweep.js';
import { WorkFolders } from '../../../src/worker/workFolder.js';
import { sceneOfFile } from '../../support/worker/pipeline.js';

const scene = await sceneOfFile();
const { pipeline } = scene;

test('removes what dead runs left in the store and in the work folder, and keeps what is in use', async () => {
  const { claim } = await pipeline.claimed();
  const folders = new WorkFolders(pipeline.workDir);
  await leave(claim.outputPrefix, folders.pathOf(claim));
  const next = (await pipeline.attempts.claim(claim))!;
  await leave(next.outputPrefix, folders.pathOf(next));

  await sweepOnce();

  expect(await pipeline.keys(`videos/${claim.accountId}/`)).toEqual([`${next.outputPrefix}480p/init.mp4`]);
  expect(await readdir(pipeline.workDir)).toEqual([folders.pathOf(next).split('/').at(-1)]);
});

test('a worker sweeps its own folders, whichever worker runs the per-minute sweep', async () => {
  const { claim } = await pipeline.claimed();
  const workDir = join(pipeline.workDir, '..', 'another-machine');
  const folders = new WorkFolders(workDir);
  await leave(claim.outputPrefix, folders.pathOf(claim));
  await pipeline.attempts.fail(claim, { code: 'X', message: 'x' });
  const { store, transcoder } = pipeline;
  const worker = createWorker({
    ...pipeline.services(),
    jobs: { consume: () => Promise.resolve(), stopConsuming: () => Promise.resolve() },
    transcoder,
    store,
    logger: silent,
    workDir,
    concurrency: 1,
    sweepOwnEveryMs: 20,
  });
  await worker.start();
  await expect.poll(() => readdir(workDir)).toEqual([]);
  await worker.stop();
});

test('output that a suspended worker wrote after its sweep is removed by the next one', async () => {
  const { claim } = await pipeline.claimed();
  await pipeline.attempts.fail(claim, { code: 'X', message: 'x' });
  await sweepOnce();
  await leave(claim.outputPrefix, null);
  await sweepOnce();
  expect(await pipeline.keys(claim.outputPrefix)).toHaveLength(1);

  await pipeline.rows(
    `update processing_output set sweep_after = sweep_after - interval '11 minutes' where prefix = $1`,
    [claim.outputPrefix],
  );
  await sweepOnce();
  expect(await pipeline.keys(claim.outputPrefix)).toEqual([]);
});

test('an upload that nobody measured is queued again, however late, and given up after many tries', async () => {
  const accountId = await pipeline.account(1n);
  const videoId = newId();
  await pipeline.rows(
    `insert into video (account_id, id, title, status, source_key, updated_at)
      values ($1, $2, 'lost', 'uploaded', 'sources/x', service_now() - interval '2 days')`,
    [accountId, videoId],
  );
  await sweepOnce();
  expect(await measureJobs(videoId)).toBe(1);
  expect((await pipeline.videos.get(accountId, videoId)).status).toBe('uploaded');

  const job = { accountId, videoId };
  for (let tries = 1; tries < 10; tries += 1) await pipeline.measures.begin(job);
  await pipeline.rows(`update video set measuring_since = service_now() - interval '2 hours' where id = $1`, [videoId]);
  await sweepOnce();
  expect((await pipeline.videos.get(accountId, videoId)).status).toBe('uploaded');

  await pipeline.measures.begin(job);
  await sweepOnce();
  expect(await pipeline.videos.get(accountId, videoId)).toMatchObject({
    status: 'failed',
    failureCode: 'MEASURING_FAILED',
  });
});

test('a video whose worker died between measuring and buying is still bought', async () => {
  const accountId = await pipeline.account(10n);
  const forgotten = await pipeline.paperVideo(accountId);
  const [asked, refused] = [await pipeline.paperVideo(accountId), await pipeline.paperVideo(accountId)];
  const ids = [forgotten, asked, refused];
  await pipeline.rows(
    `update video set quality = '720p', updated_at = service_now() - interval '2 minutes' where id = any ($1)`,
    [ids],
  );
  await pipeline.rows('update video set auto_process = true where id = any ($1)', [[forgotten, refused]]);
  await pipeline.rows(`update video set failure_code = 'INSUFFICIENT_CREDITS' where id = $1`, [refused]);

  await sweepOnce();

  expect(await Promise.all(ids.map(measureJobs))).toEqual([1, 0, 0]);
  await measureUpload(
    {
      ...pipeline.services(),
      store: pipeline.store,
      transcoder: pipeline.transcoder,
      logger: pino({ level: 'silent' }),
    },
    { data: { accountId, videoId: forgotten }, signal: live },
  );
  expect((await pipeline.videos.get(accountId, forgotten)).status).toBe('queued');
});

test('an escrow without an attempt is returned, and its owner is told', async () => {
  const accountId = await pipeline.account(10n);
  const escrow = { accountId, videoId: newId(), attempt: 1 };
  await pipeline.db.transaction(({ sql: tx }) =>
    lockEscrow(tx, { ...escrow, bucket: 'CREATIVE', amountMicros: 7_000_000n }),
  );
  await pipeline.rows(`update escrow set created_at = created_at - interval '1 minute' where account_id = $1`, [
    accountId,
  ]);
  const client = new pg.Client({ connectionString: scene.database.runtimeUrl });
  await client.connect();
  const told: unknown[] = [];
  client.on('notification', ({ payload }) => told.push(JSON.parse(payload ?? '')));
  await client.query('listen dhara_events');

  await sweepOnce();
  await client.query('select 1');
  await client.end();

  expect(await pipeline.books(accountId)).toMatchObject({ creative: 10_000_000n, escrow: 0n, faults: 0 });
  expect(told).toContainEqual({ kind: 'wallet', accountId });
});

test('objects that cannot be deleted do not block those after them, however many', async () => {
  const accountId = await pipeline.account(0n);
  const remove = (keys: string[]) =>
    pipeline.rows(
      `insert into stored_object (account_id, key, size_bytes, stored_at, removed_at)
        select $1, key, 1, service_now(), service_now() - interval '1 hour' from unnest($2::text[]) key`,
      [accountId, keys],
    );
  // A folder where a file should be.
  await pipeline.store.put(`sources/${accountId}/0/stuck/x`, Readable.from(['x']));
  await remove([`sources/${accountId}/0/stuck`]);
  const keys = Array.from({ length: 450 }, (_, n) => `sources/${accountId}/1/${n}`);
  for (const key of keys.slice(-3)) await pipeline.store.put(key, Readable.from(['x']));
  await remove(keys);

  await sweepOnce();
  expect(await pipeline.keys(`sources/${accountId}/`)).toEqual([`sources/${accountId}/0/stuck/x`]);
  await expect(pipeline.leftovers.sweepStore()).rejects.toThrow('1 were not removed');

  await pipeline.store.deletePrefix(`sources/${accountId}/0/`);
  await expect(pipeline.leftovers.sweepStore()).resolves.toBe(1);
});

test('a part of the sweep that fails does not keep the others from running', async () => {
  const { claim } = await pipeline.claimed();
  await pipeline.attempts.fail(claim, { code: 'X', message: 'x' });
  await leave(claim.outputPrefix, null);
  const broken = { ...pipeline.services(), uploads: { recoverUploads: refuse, expireUploads: refuse } };

  await doChores(sweepChores({ ...broken, folders: new WorkFolders(pipeline.workDir) }), live, silent);

  expect(await pipeline.keys(claim.outputPrefix)).toEqual([]);
});

const live = new AbortController().signal;
const silent = pino({ level: 'silent' });

function refuse(): Promise<number> {
  return Promise.reject(new Error('not today'));
}

async function sweepOnce(): Promise<void> {
  const folders = new WorkFolders(pipeline.workDir);
  await folders.open();
  await doChores(sweepChores({ ...pipeline.services(), folders }), live, silent);
}

async function leave(prefix: string, workFolder: string | null): Promise<void> {
  await pipeline.store.put(`${prefix}480p/init.mp4`, Readable.from(['half']));
  if (workFolder === null) return;
  await mkdir(workFolder, { recursive: true });
  await writeFile(join(workFolder, 'half'), 'half');
}

async function measureJobs(videoId: string): Promise<number> {
  const [row] = await pipeline.db.sql.query<{ n: string }>(
    { name: '', text: `select count(*) as n from pgboss.job where name = 'measure-upload' and singleton_key = $1` },
    [videoId],
  );
  return Number(row!.n);
}
