import { createHash } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { installVirtualClock, setClockOffset } from '../../../src/db/virtualClock.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { generateKey, hashKey } from '../../../src/domain/accounts/keys/keyFormat.js';
import {
  addVideo,
  openAccount,
  openCustomer,
  type RestService,
  startRestService,
} from '../../support/contract/service.js';

describe('an API key', () => {
  it('has a prefix, 256 random bits and a checksum', () => {
    const keys = Array.from({ length: 500 }, () => generateKey('live'));
    for (const key of keys) {
      expect(key.text).toMatch(/^dk_live_[0-9A-Za-z]{43}[0-9A-Za-z]{6}$/);
      expect(hashKey(key.text)).toEqual(createHash('sha256').update(key.text).digest());
      expect(key.text.startsWith(key.prefix) && key.text.endsWith(key.last4)).toBe(true);
      expect([key.prefix.length, key.last4.length]).toEqual([12, 4]);
    }
    expect(new Set(keys.map((key) => key.text)).size).toBe(500);
    expect(generateKey('test').text).toMatch(/^dk_test_/);
  });

  it('is invalid with one character changed, swapped, lost or added', () => {
    const { text } = generateKey('live');
    for (let at = 0; at < text.length; at += 1) {
      expect(hashKey(text.slice(0, at) + (text[at] === 'a' ? 'b' : 'a') + text.slice(at + 1))).toBeNull();
      expect(hashKey(text.slice(0, at) + text.slice(at + 1))).toBeNull();
    }
    for (const wrong of ['', `${text}a`, `${text}\n`, text.replace('live', 'test'), text.toUpperCase()]) {
      expect(hashKey(wrong)).toBeNull();
    }
  });
});

describe('KeyService', () => {
  let service: RestService;
  beforeAll(async () => {
    service = await startRestService();
    await installVirtualClock(service.database.migrationUrl);
  });
  afterAll(() => service.stop());

  it('stores a hash, the beginning and the end of a key, and never the key', async () => {
    const { accountId, key } = await openCustomer(service);
    const { rows } = await service.db.pool.query('select * from api_key where account_id = $1', [accountId]);
    expect(rows[0].hash).toEqual(createHash('sha256').update(key).digest());
    expect(JSON.stringify(rows)).not.toContain(key.slice(12, 40));
  });

  it('lists, renames and revokes keys within the account only', async () => {
    const { accountId, keyId } = await openCustomer(service);
    const other = await openAccount(service.db);
    expect(await service.keys.rename(accountId, keyId, '  Website ')).toMatchObject({ id: keyId, name: 'Website' });
    for (const wrong of [
      () => service.keys.rename(other, keyId, 'mine'),
      () => service.keys.revoke(other, keyId),
      () => service.keys.setDailyQuota(other, keyId, 5),
      () => service.keys.revoke(accountId, newId()),
      () => service.keys.revoke(accountId, 'nonsense'),
    ]) {
      await expect(wrong()).rejects.toMatchObject({ code: 'API_KEY_NOT_FOUND' });
    }
    for (const name of ['', '  ', 'x'.repeat(101), 'a\0b']) {
      await expect(service.keys.rename(accountId, keyId, name)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    }
    for (const quota of [-1, 1.5, Number.NaN, 3e9]) {
      await expect(service.keys.setDailyQuota(accountId, keyId, quota)).rejects.toMatchObject({
        code: 'INVALID_INPUT',
      });
    }
    const revoked = await service.keys.revoke(accountId, keyId);
    expect(await service.keys.revoke(accountId, keyId)).toEqual(revoked);
    expect(await service.keys.list(accountId)).toEqual([revoked]);
    expect(await service.keys.list(other)).toEqual([]);
  });

  it('shows today’s usage, which is 0 again after midnight', async () => {
    const { accountId, key } = await openCustomer(service);
    const videoId = await addVideo(service.db, accountId);
    for (let n = 0; n < 3; n += 1) await service.playback.mint(key, videoId);
    expect((await service.keys.list(accountId))[0]).toMatchObject({ usedToday: 3, dailyQuota: 1000 });
    await setClockOffset(service.database.migrationUrl, 86_400_000);
    expect((await service.keys.list(accountId))[0]?.usedToday).toBe(0);
    await setClockOffset(service.database.migrationUrl, 0);
  });

  it('creates no key for a suspended account', async () => {
    const accountId = await openAccount(service.db);
    await service.db.pool.query('update account set suspended_at = now() where id = $1', [accountId]);
    await expect(service.keys.create(accountId, { name: 'x' })).rejects.toMatchObject({ code: 'ACCOUNT_SUSPENDED' });
  });

  it('forgets a key’s requests as soon as they have responses', async () => {
    const { accountId, key } = await openCustomer(service);
    const videoId = await addVideo(service.db, accountId);
    await Promise.all(Array.from({ length: 200 }, () => service.playback.mint(key, videoId)));
    expect(service.playback.keysInFlight).toBe(0);
  });

  it('remembers how many tokens were created on earlier days', async () => {
    const { accountId, key } = await openCustomer(service);
    const { accountId: other } = await openCustomer(service);
    const videoId = await addVideo(service.db, accountId);
    const [{ id } = { id: '' }] = await service.keys.list(accountId);
    try {
      for (const [day, mints] of [3, 0, 2].entries()) {
        await setClockOffset(service.database.migrationUrl, day * 86_400_000);
        for (let n = 0; n < mints; n += 1) await service.playback.mint(key, videoId);
      }
      const usage = await service.keys.usage(accountId, [id], 30);
      expect(usage.get(id)?.map(({ used, dailyQuota }) => [used, dailyQuota])).toEqual([
        [3, 1000],
        [2, 1000],
      ]);
      expect((await service.keys.usage(accountId, [id], 1)).get(id)).toHaveLength(1);
      expect((await service.keys.usage(other, [id], 30)).get(id)).toEqual([]);
    } finally {
      await setClockOffset(service.database.migrationUrl, 0);
    }
  });
});
