import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { S3ObjectStore } from '../../../src/adapters/store/s3.js';
import { addVideo } from '../../support/moving/library.js';
import { inChunks, NOTHING, Side } from '../../support/moving/side.js';
import { makeBucket, startSwift, type Swift } from '../../support/swift.js';

const BUCKET = 'videos';

let swift: Swift;
let downloadDir: string;
const cleanUp = new AsyncDisposableStack();

beforeAll(async () => {
  downloadDir = await mkdtemp(join(tmpdir(), 'dhara-s3-'));
  cleanUp.defer(() => rm(downloadDir, { recursive: true, force: true }));
  swift = await startSwift();
  cleanUp.defer(() => swift.stop());
  await makeBucket(swift, BUCKET);
});
afterAll(() => cleanUp.disposeAsync());

async function sideInBucket(origin: string, prefix: string): Promise<Side> {
  const store = await S3ObjectStore.open({ ...swift, bucket: BUCKET, prefix, forcePathStyle: true, downloadDir });
  cleanUp.defer(() => store.close());
  const side = await Side.open(origin, store);
  cleanUp.defer(() => side.close());
  return side;
}

it('an account moves from disk to a bucket, after a try that was cut off, and from there to another', async () => {
  const onDisk = await Side.open('https://old.example');
  cleanUp.defer(() => onDisk.close());
  const first = await sideInBucket('https://first.example', 'first/');
  const second = await sideInBucket('https://second.example', 'second/');
  const accountId = await onDisk.account();
  await addVideo(onDisk, accountId, { status: 'ready', title: 'One', renditions: ['480p', 'audio'] });
  const files = await onDisk.objects(accountId);

  const { bytes } = await onDisk.export(accountId, null);
  async function* dying() {
    yield* inChunks(bytes.subarray(0, bytes.length * 0.7));
    throw new Error('killed');
  }
  await expect(first.import(dying(), onDisk, null)).rejects.toThrow('killed');
  expect(await first.query('select 1 from account where id = $1', accountId)).toEqual([]);
  const report = await first.import(bytes, onDisk, null);
  expect(report.objectsThere).toBeGreaterThan(0);
  expect(await first.objects(accountId)).toEqual(files);

  const again = await first.export(accountId, null);
  await expect(second.import(again.bytes.subarray(0, again.bytes.length * 0.7), first, null)).rejects.toMatchObject({
    code: 'ARCHIVE_UNREADABLE',
  });
  expect(await second.leftovers(accountId)).toEqual(NOTHING);
  await second.import(again.bytes, first, null);
  expect(await second.objects(accountId)).toEqual(files);
});
