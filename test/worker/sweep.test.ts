import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';

import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { newId } from '../../src/domain/ids.js';
import { sweep } from '../../src/worker/sweep.js';
import { WorkFolders } from '../../src/worker/workFolder.js';
import { createTestDatabase, type TestDatabase } from '../setup/database.js';
import { Pipeline, pipelineFolder } from './pipeline.js';

let database: TestDatabase;
let folder: Awaited<ReturnType<typeof pipelineFolder>>;
let pipeline: Pipeline;

beforeAll(async () => {
  database = await createTestDatabase();
  folder = await pipelineFolder();
  pipeline = await Pipeline.start({ databaseUrl: database.runtimeUrl, dir: folder.path, works: false });
});

afterAll(async () => {
  await pipeline.stop();
  await database.drop();
  await folder[Symbol.asyncDispose]();
});

test('what dead runs left in the store and in the work folder goes; what lives stays', async () => {
  const { claim } = await claimed();
  const folders = new WorkFolders(pipeline.workDir);
  await leave(claim.outputPrefix, folders.pathOf(claim));
  const next = (await pipeline.attempts.claim(claim))!;
  await leave(next.outputPrefix, folders.pathOf(next));

  await sweepOnce();

  expect(await pipeline.keys(`videos/${claim.accountId}/`)).toEqual([`${next.outputPrefix}480p/init.mp4`]);
  expect(await readdir(pipeline.workDir)).toEqual([folders.pathOf(next).split('/').at(-1)]);
});

test('what a frozen worker still wrote after its output was swept goes the next time round', async () => {
  const { claim } = await claimed();
  await pipeline.attempts.fail(claim, { code: 'X', message: 'x' });
  await sweepOnce();
  await leave(claim.outputPrefix, null);
  await sweepOnce();
  expect(await pipeline.keys(claim.outputPrefix)).toHaveLength(1);

  await sql(`update processing_output set sweep_after = sweep_after - interval '11 minutes' where prefix = $1`, [
    claim.outputPrefix,
  ]);
  await sweepOnce();
  expect(await pipeline.keys(claim.outputPrefix)).toEqual([]);
});

test('an uploaded file that nobody measured is asked for again, and given up in the end', async () => {
  const accountId = await pipeline.account(1n);
  const videoId = newId();
  await sql(
    `insert into video (account_id, id, title, status, source_key, updated_at)
      values ($1, $2, 'lost', 'uploaded', 'sources/x', service_now() - interval '2 minutes')`,
    [accountId, videoId],
  );
  await sweepOnce();
  const [job] = await pipeline.db.sql.query<{ id: string }>(
    { name: '', text: `select id from pgboss.job where name = 'measure-upload' and singleton_key = $1` },
    [videoId],
  );
  expect(job).toBeDefined();

  await sql(`update video set updated_at = service_now() - interval '2 hours' where id = $1`, [videoId]);
  await sweepOnce();
  expect(await pipeline.videos.get(accountId, videoId)).toMatchObject({
    status: 'failed',
    failureCode: 'MEASURING_FAILED',
  });
});

test('one part that fails does not keep the others from running', async () => {
  const { claim } = await claimed();
  await pipeline.attempts.fail(claim, { code: 'X', message: 'x' });
  await leave(claim.outputPrefix, null);
  const broken = { ...pipeline.services(), uploads: { recoverUploads: refuse, expireUploads: refuse } };

  await sweep({ ...broken, folders: new WorkFolders(pipeline.workDir), logger: pino({ level: 'silent' }) }, live);

  expect(await pipeline.keys(claim.outputPrefix)).toEqual([]);
});

const live = new AbortController().signal;

function refuse(): Promise<number> {
  return Promise.reject(new Error('not today'));
}

async function sweepOnce(): Promise<void> {
  const folders = new WorkFolders(pipeline.workDir);
  await folders.open();
  await sweep({ ...pipeline.services(), folders, logger: pino({ level: 'silent' }) }, live);
}

async function claimed() {
  const accountId = await pipeline.account(10n);
  const videoId = await pipeline.paperVideo(accountId);
  const attempt = await pipeline.buy(accountId, videoId, '720p');
  const claim = await pipeline.attempts.claim({ accountId, videoId, attempt });
  return { accountId, videoId, claim: claim! };
}

async function leave(prefix: string, workFolder: string | null): Promise<void> {
  await pipeline.store.put(`${prefix}480p/init.mp4`, Readable.from(['half']));
  if (workFolder === null) return;
  await mkdir(workFolder, { recursive: true });
  await writeFile(join(workFolder, 'half'), 'half');
}

async function sql(text: string, values: unknown[]): Promise<void> {
  await pipeline.db.sql.query({ name: '', text }, values);
}
