import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

import { PostgresDatabase } from '../../../src/db/database.js';
import { MediaKeyService, type RunRef } from '../../../src/domain/media/keys/mediaKeys.service.js';
import { deriveKey } from '../../../src/domain/shared/secrets/masterKey.js';
import { PlaybackService } from '../../../src/domain/playback/playback.service.js';
import { Keyring, UnreadableSecretError } from '../../../src/domain/shared/secrets/keyring.js';
import { lastingSecret } from '../../../src/domain/shared/secrets/lastingSecrets.js';
import { SecretRewrap } from '../../../src/domain/operations/rewrap.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { ServiceProcess } from '../../support/service.js';

const [A, B, C] = [randomBytes(32), randomBytes(32), randomBytes(32)];
const publicUrl = 'https://video.example';
const onlyA = { current: A, previous: [] };
const onlyB = { current: B, previous: [] };
const bAfterA = { current: B, previous: [A] };
let database: TestDatabase;
let db: PostgresDatabase;
let rows: pg.Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  db = await PostgresDatabase.connect({ url: database.runtimeUrl, maxConnections: 5 });
  rows = new pg.Pool({ connectionString: database.migrationUrl, max: 1 });
});
afterAll(async () => {
  await rows.end();
  await db.close();
  await database.drop();
});
beforeEach(async () => {
  await rows.query('truncate media_key, playback_signing_key, lasting_secret');
});

/** A ready video with this many keys, encrypted under this master key. */
async function video(masterKeys: { current: Buffer; previous: Buffer[] }, keys: number): Promise<RunRef> {
  const [accountId, videoId] = [newId(), newId()];
  const ref = { accountId, videoId, attempt: 1, run: 1 };
  await rows.query('select open_account($1)', [accountId]);
  await rows.query(
    `insert into video (account_id, id, title, status, playable_rungs, pictures_prefix, attempt)
     values ($1, $2, 'A video', 'ready', '{480p}', $3, 1)`,
    [accountId, videoId, `videos/${accountId}/${videoId}/1-1/`],
  );
  await rows.query(
    `insert into rendition (account_id, video_id, quality, bitrate, average_bitrate, codecs, size_bytes, path, prefix)
     values ($1, $2, '480p', 1000, 900, 'avc1.64001f', 5, '480p/index.m3u8', $3)`,
    [accountId, videoId, `videos/${accountId}/${videoId}/1-1/`],
  );
  await rows.query(
    `insert into processing (account_id, video_id, attempt, quote_id, quality, price_micros, state, run, queued_at, updated_at)
     values ($1, $2, 1, $3, '480p', 1, 'running', 1, now(), now())`,
    [accountId, videoId, newId()],
  );
  await new MediaKeyService({ db, masterKeys, segmentsPerKey: 1 }).create(ref, keys);
  return ref;
}

const keyOf = (masterKeys: { current: Buffer; previous: Buffer[] }, ref: RunRef, index = 0) =>
  new MediaKeyService({ db, masterKeys }).find(ref, index);

async function masterKeysInUse(): Promise<string[]> {
  const { rows: found } = await rows.query<{ id: string }>(`
    select master_key_id as id from media_key union select master_key_id from playback_signing_key
    union select master_key_id from lasting_secret`);
  return found.map(({ id }) => id);
}

test('secrets under an older master key can be read, and new ones use the current one', async () => {
  const old = await video(onlyA, 1);
  const key = (await keyOf(onlyA, old))!;
  await expect(keyOf(onlyB, old)).rejects.toThrow(UnreadableSecretError);
  expect((await keyOf(bAfterA, old))!.equals(key)).toBe(true);

  const fresh = await video(bAfterA, 1);
  expect(await keyOf(onlyB, fresh)).toHaveLength(16);
  await expect(keyOf(onlyA, fresh)).rejects.toThrow(UnreadableSecretError);
});

test('rewrap moves all secrets to the current key; then the old one is not needed', async () => {
  const refs = [await video(onlyA, 1200), await video(bAfterA, 2)];
  const before = (await keyOf(onlyA, refs[0]!, 1199))!;
  (await PlaybackService.open({ db, masterKey: A, publicUrl })).close();
  const lasting = await lastingSecret(db, onlyA, 'identity');

  const report = await new SecretRewrap({ db, masterKeys: bAfterA }).run();
  expect(report).toEqual({ rewrapped: 1202, current: 2, unreadable: [] });
  expect((await keyOf(onlyB, refs[0]!, 1199))!.equals(before)).toBe(true);
  expect((await lastingSecret(db, onlyB, 'identity')).equals(lasting)).toBe(true);
  (await PlaybackService.open({ db, masterKey: B, publicUrl })).close();
  await expect(PlaybackService.open({ db, masterKey: A, publicUrl })).rejects.toThrow(/MASTER_KEY_PREVIOUS/);
  expect(await masterKeysInUse()).toEqual([new Keyring(onlyB, 'media-key').currentId]);

  expect(await new SecretRewrap({ db, masterKeys: bAfterA }).run()).toEqual({
    rewrapped: 0,
    current: 1204,
    unreadable: [],
  });
});

test('two concurrent rewraps, and videos that are deleted meanwhile, do no harm', async () => {
  const refs = await Promise.all(Array.from({ length: 6 }, () => video(onlyA, 100)));
  const keys = await Promise.all(refs.map((ref) => keyOf(onlyA, ref, 99)));
  const [kept, doomed] = [refs.slice(0, 3), refs.slice(3)];
  const reports = await Promise.all([
    new SecretRewrap({ db, masterKeys: bAfterA }).run(),
    new SecretRewrap({ db, masterKeys: bAfterA }).run(),
    ...doomed.map(({ videoId }) => rows.query('delete from media_key where video_id = $1', [videoId])),
  ]);
  const rewrapped = reports.slice(0, 2).reduce((sum, report) => sum + (report as { rewrapped: number }).rewrapped, 0);
  expect(rewrapped).toBeGreaterThanOrEqual(300);
  expect(rewrapped).toBeLessThanOrEqual(600);
  for (const [index, ref] of kept.entries()) expect((await keyOf(onlyB, ref, 99))!.equals(keys[index]!)).toBe(true);
  const left = await rows.query('select count(*)::int as n from media_key');
  expect(left.rows).toEqual([{ n: 300 }]);
});

test('secrets that no given key decrypts are reported and left unchanged', async () => {
  const [strange, old] = [await video({ current: C, previous: [] }, 1), await video(onlyA, 1)];
  const report = await new SecretRewrap({ db, masterKeys: bAfterA }).run();
  expect(report.rewrapped).toBe(1);
  expect(report.unreadable).toEqual([`media key ${strange.accountId} ${strange.videoId} 1 1 0`]);
  expect(await keyOf({ current: C, previous: [] }, strange)).toHaveLength(16);
  expect(await keyOf(onlyB, old)).toHaveLength(16);
});

test('signing keys from before rows recorded their master key are read and rewrapped', async () => {
  const made = await PlaybackService.open({ db, masterKey: A, publicUrl });
  const kids = made.signingKeys.publicKeys().map(({ kid }) => kid);
  made.close();
  await rows.query('update playback_signing_key set master_key_id = null');
  expect((await new SecretRewrap({ db, masterKeys: bAfterA }).run()).rewrapped).toBe(1);
  const read = await PlaybackService.open({ db, masterKey: B, publicUrl });
  expect(kids).toHaveLength(1);
  expect(read.signingKeys.publicKeys().map(({ kid }) => kid)).toEqual(kids);
  read.close();
});

test('a lasting secret derives from the first master key, whichever process asks first, and never changes', async () => {
  const all = await Promise.all(Array.from({ length: 8 }, () => lastingSecret(db, onlyA, 'identity')));
  for (const secret of all) expect(secret.equals(deriveKey(A, 'identity'))).toBe(true);
  expect((await lastingSecret(db, bAfterA, 'identity')).equals(deriveKey(A, 'identity'))).toBe(true);
  await expect(lastingSecret(db, onlyB, 'identity')).rejects.toThrow(UnreadableSecretError);
  await rows.query(`update lasting_secret set purpose = 'payer'`);
  await expect(lastingSecret(db, onlyA, 'payer')).rejects.toThrow(UnreadableSecretError);
});

test('dhara keys rewrap does it, once, and refuses an invalid key', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'dhara-rewrap-'));
  const settings = {
    DATA_DIR: dir,
    PORT: '4000',
    DATABASE_URL: database.runtimeUrl,
    LOG_LEVEL: 'silent',
    MASTER_KEY: B.toString('base64'),
    MASTER_KEY_PREVIOUS: `${C.toString('base64')}, ${A.toString('base64')}`,
  };
  try {
    const [ref, strange] = [await video(onlyA, 3), await video({ current: randomBytes(32), previous: [] }, 1)];
    await lastingSecret(db, onlyA, 'identity');
    const first = ServiceProcess.start(['keys', 'rewrap'], settings);
    const wrong = ServiceProcess.start(['keys', 'rewrap'], { ...settings, MASTER_KEY_PREVIOUS: 'short' });
    expect(await wrong.exit()).toBe(1);
    expect(wrong.output).toMatch(/^dhara: Wrong setting\. MASTER_KEY_PREVIOUS: .*\n$/);
    expect(await first.exit(), first.output).toBe(1);
    // The three keys and the one secret. Secrets that the command itself creates use the current key from the start.
    expect(first.output).toContain('Encrypted 4 secrets under the current master key');
    expect(first.output).toContain(`decrypts media key ${strange.accountId} ${strange.videoId} 1 1 0`);
    expect(await keyOf(onlyB, ref, 2)).toHaveLength(16);

    await rows.query('delete from media_key where video_id = $1', [strange.videoId]);
    const again = ServiceProcess.start(['keys', 'rewrap'], settings);
    expect(await again.exit(), again.output).toBe(0);
    expect(again.output).toContain('Encrypted 0 secrets under the current master key');
    for (const { output } of [first, again, wrong]) {
      for (const key of [A, B, C]) expect(output).not.toContain(key.toString('base64'));
    }
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
});
