import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { DiskObjectStore } from '../../../src/adapters/store/disk.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { OrphanService } from '../../../src/domain/media/objects/orphan.service.js';
import { RemeasureService } from '../../../src/domain/media/objects/remeasure.service.js';
import { StorageScene } from '../../support/storage/scene.js';

const DAY_ONE = '2027-03-01';
const LONG_AGO = '2026-01-01T00:00:00Z';

let scene: StorageScene;
let dir: string;
let store: DiskObjectStore;
let service: RemeasureService;

beforeEach(async () => {
  scene = await StorageScene.open(DAY_ONE);
  dir = await mkdtemp(join(tmpdir(), 'dhara-remeasure-'));
  store = await DiskObjectStore.open({ dir });
  const orphans = new OrphanService({ db: scene.db, store });
  service = new RemeasureService({ db: scene.db, store, orphans, nights: scene.storage });
  await scene.setClock('2027-03-02T00:20:00Z');
});

afterEach(async () => {
  await scene?.close();
  await rm(dir, { recursive: true, force: true });
});

it('finds no difference in regular uploads and renditions, and measures once a night', async () => {
  const owner = await scene.account();
  await source(owner);
  await published(owner, { renditions: ['480p', '720p'], poster: true });
  await published(owner, { renditions: ['audio'], poster: false });

  expect(await measured()).toBe(0);
  await put(`sources/${owner}/${newId()}/stray`, 10);
  expect(await service.runDue(live)).toBe(0);
});

it('corrects sizes from now on, and does not change what past days were charged for', async () => {
  const owner = await scene.account();
  const { key } = await source(owner, { recordedBytes: 1_000_000 });
  const { prefix } = await published(owner, { renditions: ['480p', '720p'], poster: true });
  await store.delete(`${prefix}720p/init.mp4`);

  expect(await measured()).toBe(2);
  expect(await rows(key)).toEqual(['1000000 gone swept', '100 there']);
  expect(await rows(prefix)).toEqual(['67 there', '67 gone swept', '57 there', '5 there']);
  expect((await alerts()).map((alert) => alert.subject).toSorted()).toEqual([key, prefix].toSorted());
  expect((await alerts()).find((alert) => alert.subject === key)!.message).toContain(
    '1000000 bytes recorded, 100 bytes found',
  );

  // The past day keeps the size of its rows; the next one has the size found.
  await scene.setClock('2027-03-03T00:20:00Z');
  await scene.run();
  expect((await scene.days(owner)).map((day) => day.bytes)).toEqual(['1000139', '229']);
  expect(await service.runDue(live)).toBe(0);
});

it('stops charging for missing objects, and charges again when they are back', async () => {
  const owner = await scene.account();
  const { key } = await source(owner);
  const { key: other } = await source(owner);
  await store.delete(key);
  expect(await measured()).toBe(1);
  expect(await rows(key)).toEqual(['100 gone swept']);
  expect(await rows(other)).toEqual(['100 there']);

  await put(key, 120);
  await scene.setClock('2027-03-03T00:20:00Z');
  await scene.run();
  expect(await measured()).toBe(1);
  expect(await rows(key)).toEqual(['100 gone swept', '120 there']);
});

it('removes unknown objects after a day, reports foreign names, and charges nobody for either', async () => {
  const owner = await scene.account();
  await source(owner);
  const stray = `sources/${owner}/${newId()}/${newId()}`;
  await put(stray, 10);
  await put('videos/odd', 10);

  expect(await measured()).toBe(2);
  expect((await alerts()).map(({ subject, kind }) => [kind, subject])).toEqual(
    expect.arrayContaining([
      ['storage.orphans', DAY_ONE],
      ['storage.mismatch', 'videos/odd'],
    ]),
  );
  expect(await store.head(stray)).toBeNull();
  expect(await rows(stray)).toEqual([]);
});

it('removes objects of a deleted video one hour after their last write', async () => {
  const owner = await scene.account();
  const [kept, deleted] = [await published(owner, { renditions: ['480p'], poster: false }), await gone(owner)];
  const strays = [kept.videoId, newId(), deleted].map((videoId) => `videos/${owner}/${videoId}/2-1/480p/init.mp4`);
  for (const key of strays) await put(key, 10);
  const left = async (minutes: number) => {
    await scene.setClock(new Date(Date.now() + minutes * 60_000).toISOString());
    await scene.admin.query('update storage_night set measured_at = null');
    await service.runDue(live);
    const heads = await Promise.all(strays.map((key) => store.head(key)));
    return heads.map((head) => head !== null);
  };
  await scene.run();

  expect(await left(55)).toEqual([true, true, true]);
  expect(await left(65)).toEqual([true, true, false]);
  expect(await left(24 * 60 + 5)).toEqual([false, false, false]);
});

it('ignores objects that are being written, wait for a sweep, or are new', async () => {
  const owner = await scene.account();
  await source(owner);
  const video = newId();
  await scene.admin.query(
    `insert into processing_output (account_id, video_id, attempt, run, prefix, created_at)
     values ($1, $2, 1, 1, $3, service_now())`,
    [owner, video, `videos/${owner}/${video}/1-1/`],
  );
  await put(`videos/${owner}/${video}/1-1/480p/init.mp4`, 10);
  const { key } = await source(owner);
  await scene.admin.query('update stored_object set removed_at = service_now() where key = $1', [key]);
  await scene.admin.query('update video set deleted_at = service_now() where source_key = $1', [key]);
  const uploading = newId();
  await scene.admin.query(
    `insert into upload (account_id, video_id, id, size_bytes, expires_at) values ($1, $2, $3, 10, 'infinity')`,
    [owner, uploading, newId()],
  );
  await put(`sources/${owner}/${uploading}/x`, 10);
  expect(await measured()).toBe(0);

  // New by the store's clock. A day later it would be reported.
  await scene.setClock(new Date().toISOString());
  await scene.admin.query('update storage_night set measured_at = null');
  await put(`sources/${owner}/${newId()}/x`, 10);
  expect(await service.runDue(live)).toBe(0);
});

it('does not report missing rows of a run that still works', async () => {
  const owner = await scene.account();
  const { prefix, videoId } = await published(owner, { renditions: ['480p'], poster: true });
  await put(`${prefix}720p/init.mp4`, 10);
  const writing = (sweepAfter: string | null) =>
    scene.admin.query(
      `insert into processing_output (account_id, video_id, attempt, run, prefix, created_at, sweep_after)
         values ($1, $2, 1, 1, $3, now(), $4)
       on conflict (account_id, video_id, attempt, run) do update set sweep_after = excluded.sweep_after`,
      [owner, videoId, prefix, sweepAfter],
    );
  await scene.admin.query(
    `insert into processing (account_id, video_id, attempt, quote_id, quality, price_micros, state, queued_at, updated_at)
     values ($1, $2, 1, gen_random_uuid(), '720p', 1, 'running', now(), now())`,
    [owner, videoId],
  );
  await writing(null);
  expect(await measured()).toBe(0);

  await scene.admin.query(`update processing set state = 'succeeded' where video_id = $1`, [videoId]);
  await writing('2027-03-02T00:00:00Z');
  expect(await measured('2027-03-03T00:20:00Z')).toBe(0);
  expect(await rows(prefix)).toEqual(['67 there', '5 there']);

  // Objects that are neither written nor swept are charged as found.
  await writing(null);
  expect(await measured('2027-03-04T00:20:00Z')).toBe(1);
  expect(await rows(prefix)).toEqual(['67 there', '10 there', '5 there']);
});

it('treats an empty store as one that is not mounted', async () => {
  const owner = await scene.account();
  const { key } = await source(owner);
  await rm(join(dir, 'objects', 'sources'), { recursive: true });

  expect(await measured()).toBe(1);
  expect(await rows(key)).toEqual(['100 there']);
  expect((await alerts()).map((alert) => alert.subject)).toEqual(['store']);
});

it('compares far more rows than it holds in memory, in the order in which stores list', async () => {
  const accounts = await Promise.all(Array.from({ length: 5 }, () => scene.account()));
  for (const owner of accounts) {
    const keys = Array.from({ length: 500 }, (_, n) => `sources/${owner}/${newId()}/${n % 2 ? 'A' : 'a'}${n}`);
    await scene.store(
      owner,
      ...keys.map((key) => ({ key, bytes: 1n, storedAt: LONG_AGO, videoId: key.split('/')[2]! })),
    );
    for (const key of keys) await put(key, 1);
  }
  const { rows: sample } = await scene.admin.query<{ key: string }>(
    'select key from stored_object limit 1 offset 1234',
  );
  await store.delete(sample[0]!.key);
  expect(await measured()).toBe(1);
  expect(await rows(sample[0]!.key)).toEqual(['1 gone swept']);
});

it('stops on request, and starts over', async () => {
  const owner = await scene.account();
  const { key } = await source(owner, { recordedBytes: 7 });
  await scene.run();
  expect(await service.runDue(AbortSignal.abort())).toBe(0);
  expect(await service.runDue(live)).toBe(1);
  expect(await rows(key)).toEqual(['7 gone swept', '100 there']);
});

const live = new AbortController().signal;

/** Charges the day that is due, then measures. Returns the number of differences. */
async function measured(night?: string): Promise<number> {
  if (night) await scene.setClock(night);
  await scene.run();
  return service.runDue(live);
}

async function put(key: string, bytes: number): Promise<void> {
  await store.put(key, Readable.from([Buffer.alloc(bytes)]));
}

async function source(owner: string, { recordedBytes = 100 } = {}): Promise<{ key: string }> {
  const videoId = newId();
  const key = `sources/${owner}/${videoId}/${newId()}`;
  await scene.admin.query(
    `insert into video (account_id, id, title, status, source_key) values ($1, $2, 'video', 'uploaded', $3)`,
    [owner, videoId, key],
  );
  await put(key, 100);
  await scene.store(owner, { key, videoId, bytes: BigInt(recordedBytes), storedAt: LONG_AGO });
  return { key };
}

/** Inserts a video that was deleted long ago. Returns its id. */
async function gone(owner: string): Promise<string> {
  const videoId = newId();
  await scene.admin.query(
    `insert into video (account_id, id, title, status, deleted_at) values ($1, $2, 'video', 'uploaded', $3)`,
    [owner, videoId, LONG_AGO],
  );
  return videoId;
}

/** Stores a ladder as the worker does: 67 bytes per rendition with its playlist, and perhaps a poster. */
async function published(owner: string, { renditions, poster }: { renditions: string[]; poster: boolean }) {
  const videoId = newId();
  const prefix = `videos/${owner}/${videoId}/1-1/`;
  await scene.admin.query(
    `insert into video (account_id, id, title, status, pictures_prefix) values ($1, $2, 'video', 'ready', $3)`,
    [owner, videoId, prefix],
  );
  for (const rendition of renditions) {
    await put(`${prefix}${rendition}/init.mp4`, 10);
    await put(`${prefix}${rendition}/segment-1.m4s`, 50);
    await put(`${prefix}${rendition}/index.m3u8`, 7);
    await scene.store(owner, { key: `${prefix}${rendition}/`, videoId, bytes: 67n, storedAt: LONG_AGO });
  }
  if (poster) {
    await put(`${prefix}poster.jpg`, 5);
    await scene.store(owner, { key: `${prefix}poster.jpg`, videoId, bytes: 5n, storedAt: LONG_AGO });
  }
  return { prefix, videoId };
}

async function rows(keyOrPrefix: string): Promise<string[]> {
  const { rows: found } = await scene.admin.query<{ line: string }>(
    `select concat_ws(' ', size_bytes, case when removed_at is null then 'there' else 'gone' end,
       case when swept_at is not null then 'swept' end) as line
     from stored_object where starts_with(key, $1) order by key, generation`,
    [keyOrPrefix],
  );
  return found.map((row) => row.line);
}

async function alerts(): Promise<{ kind: string; subject: string; message: string }[]> {
  return (await scene.admin.query('select kind, subject, message from alert')).rows;
}
