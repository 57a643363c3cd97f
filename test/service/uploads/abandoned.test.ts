import { utimes } from 'node:fs/promises';

import { afterEach, beforeEach, expect, test } from 'vitest';

import type { DiskUploadStaging } from '../../../src/adapters/store/diskStaging.js';
import { PostgresDatabase } from '../../../src/db/database.js';
import type { Sql } from '../../../src/db/sql.js';
import { idleUploads } from '../../../src/domain/media/uploads/uploads.js';
import { unknownOf } from '../../../src/domain/media/uploads/unknownBytes.js';
import type { UploadRef, UploadStaging } from '../../../src/ports/uploadStaging.js';
import { IS_FULL } from '../../support/effort.js';
import { openPatch, patch } from '../../support/uploads/client.js';
import { UploadRig } from '../../support/uploads/rig.js';
import { TEST_MS } from '../../support/deadlines.js';

const ABANDONED = IS_FULL ? 10_000 : 300;
const PER_ACCOUNT = 20;
const LIVING = 12;
const SENDERS = 8;
const PROMISED_BYTES = 64;
const PART = 'as far as it came';

let rig: UploadRig;
beforeEach(async () => {
  rig = await UploadRig.start();
});
afterEach(() => rig.stop());

test(
  `${ABANDONED} abandoned uploads are removed through a killed sweep and two at once, and live ones continue`,
  { timeout: IS_FULL ? 1_800_000 : TEST_MS },
  async () => {
    await Promise.all(Array.from({ length: SENDERS }, (_, sender) => abandonSome(sender)));
    const left = Math.ceil((ABANDONED * 9) / 10);
    expect(await rig.stagedFiles()).toHaveLength(left);
    const living = await Promise.all(Array.from({ length: LIVING }, () => beginLiving()));
    // Some have expired, but are kept because they are being written to.
    for (const { uploadId } of living.slice(0, LIVING / 2)) await rig.rows.expire(uploadId);

    await sweepAndDie(Math.floor(left / 3));
    const before = await abandonedRows();
    expect(before).toBeLessThan(ABANDONED);
    expect(before).toBeGreaterThan(ABANDONED / 2);

    // The uploads of the killed sweep are free again once its lease has expired.
    await rig.rows.query(`update upload set lease_token = null where expires_at <= now() - interval '30 minutes'`);
    const others = await Promise.all([rig.secondNode(), rig.secondNode()]);
    const swept = await Promise.all(others.map(({ uploads }) => uploads.expireUploads()));
    expect(swept[0]! + swept[1]!).toBe(before);
    for (const node of others) await node.stop();

    for (const { req } of living) req.end(PART);
    for (const { answer } of living) expect((await answer).status).toBe(204);
    for (const { videoId } of living) {
      expect((await rig.sourceOf(videoId)).toString()).toBe(PART + PART);
      expect((await rig.rows.videoState(videoId)).status).toBe('uploaded');
      expect(await rig.rows.measureJobs(videoId)).toBe(1);
    }
    await expectNothingLeft(living);
    expect(await rig.node.uploads.expireUploads()).toBe(0);
  },
);

test('the cost of an abandoned upload does not grow with their number', async () => {
  const many = 10_000;
  const accountId = await rig.rows.account();
  const videoId = await rig.rows.video(accountId);
  await rig.rows.query(
    `insert into upload (account_id, video_id, id, size_bytes, expires_at, finished_at)
      select $1, $2, encode(sha256(n::text::bytea), 'hex'), 1, now() - interval '1 hour' - n % 7 * interval '1 s',
        case when n > $3 then now() end
      from generate_series(1, 2 * $3::int) n`,
    [accountId, videoId, many],
  );
  await rig.rows.query('analyze upload');

  const db = await PostgresDatabase.connect({ url: rig.database.runtimeUrl, maxConnections: 1 });
  const before = await rowsRead();
  const seen = new Set<string>();
  for await (const { uploadId } of idleUploads(db.sql, true)) seen.add(uploadId);
  // PostgreSQL counts what a connection read when it closes.
  await db.close();
  expect(seen.size).toBe(many);
  await expect.poll(async () => (await rowsRead()) - before).toBeGreaterThanOrEqual(many);
  expect((await rowsRead()) - before).toBeLessThan(many * 20);
});

test('unknown files are looked up and removed in batches, and one that cannot be removed blocks no other', async () => {
  const many = 450;
  const accountId = await rig.rows.account();
  const { staging } = rig.node;
  const files = Array.from({ length: many }, (_, n) => ({ accountId, uploadId: n.toString(16).padStart(40, '0') }));
  for (const file of files) await leave(staging, file);
  const lengths: number[] = [];
  const counted: Sql = {
    query: (_, values) => {
      const [accounts] = values as [unknown[]];
      lengths.push(accounts.length);
      return Promise.resolve(accounts.map((__, index) => ({ n: index + 1 })) as never);
    },
  };
  const unknown = new Set<string>();
  for await (const { uploadId } of unknownOf(counted, staging.listIdle(3600))) unknown.add(uploadId);
  expect(unknown.size).toBe(many);
  expect(Math.max(...lengths)).toBeLessThanOrEqual(100);

  const abandoned = await rig.begun(PROMISED_BYTES);
  await patch(abandoned.url, abandoned.accountId, 0, PART);
  await rig.rows.expire(abandoned.uploadId);
  const stuck = await rig.secondNode({ gather: () => stuckAt(staging, files[7]!.uploadId) });
  await expect(stuck.uploads.expireUploads()).rejects.toThrow('1 could not be swept');
  await stuck.stop();
  expect(await rig.stagedFiles()).toEqual([`${accountId}.${files[7]!.uploadId}`]);
});

test('an upload that cannot be removed blocks no other', async () => {
  const uploads = await Promise.all(Array.from({ length: 5 }, () => rig.begun(PROMISED_BYTES)));
  for (const { url, accountId, uploadId } of uploads) {
    await patch(url, accountId, 0, PART);
    await rig.rows.expire(uploadId);
  }
  const [first] = uploads;
  const stuck = await rig.secondNode({
    gather: () => stuckAt(rig.node.staging, first!.uploadId),
  });
  await expect(stuck.uploads.expireUploads()).rejects.toThrow('1 could not be swept');
  await stuck.stop();
  expect(await rig.stagedFiles()).toEqual([`${first!.accountId}.${first!.uploadId}`]);
});

/** Begins the uploads of one sender's accounts; most send a part, and none continues. */
async function abandonSome(sender: number): Promise<void> {
  for (let account = sender; account < ABANDONED / PER_ACCOUNT; account += SENDERS) {
    const accountId = await rig.rows.account();
    for (let n = 0; n < PER_ACCOUNT; n += 1) {
      const videoId = await rig.rows.video(accountId);
      const { uploadId } = await rig.node.uploads.begin(accountId, videoId, { sizeBytes: PROMISED_BYTES });
      // Some never send a byte, and some lose their video.
      if (n % 10 !== 0) {
        const { status } = await patch(`${rig.node.url}/uploads/${uploadId}`, accountId, 0, PART);
        expect(status).toBe(204);
      }
      if (n % 10 === 1) await rig.rows.query('update video set deleted_at = now() where id = $1', [videoId]);
    }
    await rig.rows.query(
      `update upload u set expires_at = now() - interval '1 hour' from video v
        where u.account_id = $1 and v.account_id = $1 and v.id = u.video_id`,
      [accountId],
    );
  }
}

/** An upload in progress. */
async function beginLiving() {
  const upload = await rig.begun(2 * PART.length);
  const { req, answer } = openPatch(upload.url, upload.accountId, { offset: 0, contentLength: 2 * PART.length });
  req.write(PART);
  await expect.poll(() => rig.node.staging.sizeBytes(upload)).toBe(PART.length);
  return { ...upload, req, answer };
}

/** A sweep by a process that dies after this many removals, between an upload's bytes and its row. */
async function sweepAndDie(afterRemovals: number): Promise<void> {
  const dying = Promise.withResolvers<void>();
  let removals = 0;
  const mortal = await rig.secondNode({
    gather: () =>
      removingWith(rig.node.staging, async (upload) => {
        await rig.node.staging.remove(upload);
        removals += 1;
        if (removals <= afterRemovals) return;
        dying.resolve();
        await new Promise(() => undefined);
      }),
  });
  void mortal.uploads.expireUploads();
  await dying.promise;
  await mortal.stop();
}

/** The same staging with another way of removing. */
function removingWith(staging: DiskUploadStaging, remove: UploadStaging['remove']): UploadStaging {
  return Object.assign(Object.create(staging) as DiskUploadStaging, { remove });
}

/** A staging that cannot remove the bytes of one upload. */
function stuckAt(staging: DiskUploadStaging, uploadId: string): UploadStaging {
  return removingWith(staging, (bytes) =>
    bytes.uploadId === uploadId ? Promise.reject(new Error('not today')) : staging.remove(bytes),
  );
}

async function leave(staging: DiskUploadStaging, file: UploadRef): Promise<void> {
  const longAgo = new Date(Date.now() - 2 * 3_600_000);
  await staging.create(file);
  await utimes(staging.path(file), longAgo, longAgo);
}

async function abandonedRows(): Promise<number> {
  const [row] = await rig.rows.query<{ n: string }>(
    `select count(*) n from upload where finished_at is null and expires_at <= now() - interval '30 minutes'`,
  );
  return Number(row!.n);
}

/** The number of rows of `upload` that PostgreSQL has counted as read. */
async function rowsRead(): Promise<number> {
  const [row] = await rig.rows.query<{ n: string }>(
    `select seq_tup_read + coalesce(idx_tup_fetch, 0) as n from pg_stat_user_tables where relname = 'upload'`,
  );
  return Number(row!.n);
}

async function expectNothingLeft(living: readonly { accountId: string }[]): Promise<void> {
  expect(await rig.stagedFiles()).toEqual([]);
  const finished = await rig.rows.query<{ open: string; finished: string }>(
    `select count(*) filter (where finished_at is null) as open, count(finished_at) as finished from upload`,
  );
  expect(finished).toEqual([{ open: '0', finished: String(LIVING) }]);
  expect(
    await rig.rows.query(`select id from video where status = 'uploading' and deleted_at is null limit 1`),
  ).toEqual([]);
  const miscounted = await rig.rows.query(
    `select c.account_id from video_count c left join lateral (
        select count(*) filter (where status = 'awaiting_upload') as awaiting, count(*) filter (where status = 'uploaded') as uploaded
        from video v where v.account_id = c.account_id and v.deleted_at is null) v on true
      where (c.awaiting_upload, c.uploading, c.uploaded) is distinct from (v.awaiting, 0, v.uploaded) limit 1`,
  );
  expect(miscounted).toEqual([]);
  const stored = await rig.rows.query<{ account_id: string }>('select account_id from stored_object order by 1');
  const owners = living.map(({ accountId }) => accountId).toSorted();
  expect(stored.map((row) => row.account_id)).toEqual(owners);
  const objects: string[] = [];
  for await (const { key } of rig.node.store.list('sources/')) objects.push(key.split('/')[1]!);
  expect(objects.toSorted()).toEqual(owners);
}
