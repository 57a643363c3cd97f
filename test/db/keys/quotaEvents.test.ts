import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { installVirtualClock, setClockOffset } from '../../../src/db/virtualClock.js';
import { hashKey } from '../../../src/domain/accounts/keys/keyFormat.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { DatabaseClock } from '../../../src/domain/playback/databaseClock.js';
import { MintQueue } from '../../../src/domain/playback/mintQueue.js';
import { addVideo, openCustomer, type RestService, startRestService } from '../../support/contract/service.js';
import { eventsOf } from '../../support/events/log.js';

const DAY_MS = 86_400_000;

let service: RestService;
let accountId: string;
let keyId: string;
let key: string;
let videoId: string;

beforeAll(async () => {
  service = await startRestService();
  await installVirtualClock(service.database.migrationUrl);
});
afterAll(() => service.stop());
beforeEach(async () => {
  await clockAt(0);
  ({ accountId, keyId, key } = await openCustomer(service));
  videoId = await addVideo(service.db, accountId);
});

/** Sets the clock to noon of the `days`th day from today, so that no test is near midnight. */
function clockAt(days: number): Promise<void> {
  return setClockOffset(service.database.migrationUrl, noonOf(days) - Date.now());
}

function noonOf(days: number): number {
  return (Math.floor(Date.now() / DAY_MS) + days + 0.5) * DAY_MS;
}

function dayOf(days: number): string {
  return new Date(noonOf(days)).toISOString().slice(0, 10);
}

const setQuota = (dailyQuota: number) => service.keys.setDailyQuota(accountId, keyId, dailyQuota);

/** All at once, so that they share statements. @returns how many tokens were created */
async function mint(times: number, keyText = key): Promise<number> {
  const asked = Array.from({ length: times }, () => service.playback.mint(keyText, videoId));
  return (await Promise.allSettled(asked)).filter(({ status }) => status === 'fulfilled').length;
}

/** Such as `warning 8/10`. */
async function quotaEvents(): Promise<string[]> {
  return (await eventsOf(service.db, accountId)).flatMap(({ type, data }) =>
    type === 'quota.warning' || type === 'quota.reached'
      ? [`${type.slice(6)} ${String(data['used'])}/${String(data['dailyQuota'])}`]
      : [],
  );
}

describe('quota.warning and quota.reached', () => {
  it('are written by the tokens that use 80% and 100% of the quota', async () => {
    await setQuota(10);
    await mint(1);
    for (let n = 0; n < 6; n += 1) await mint(1);
    expect(await quotaEvents()).toEqual([]);
    await mint(1);
    expect(await quotaEvents()).toEqual(['warning 8/10']);
    await mint(1);
    await mint(1);
    expect(await mint(3)).toBe(0);
    expect(await quotaEvents()).toEqual(['warning 8/10', 'reached 10/10']);

    const warning = (await eventsOf(service.db, accountId)).find(({ type }) => type === 'quota.warning');
    expect(warning?.data).toEqual({ keyId, name: 'test', day: dayOf(0), dailyQuota: 10, used: 8 });
  });

  it('are written once each when one statement creates many tokens, whatever it crosses', async () => {
    await setQuota(5);
    expect(await mint(200)).toBe(5);
    expect(await quotaEvents()).toHaveLength(2);
    await setQuota(300);
    expect(await mint(400)).toBe(295);
    expect(await quotaEvents()).toHaveLength(4);
    expect((await quotaEvents()).at(-1)).toBe('reached 300/300');
  });

  it('are both written by the only token of a quota of 1, and none for a quota of 0', async () => {
    await setQuota(0);
    expect(await mint(2)).toBe(0);
    expect(await quotaEvents()).toEqual([]);
    await setQuota(1);
    expect(await mint(2)).toBe(1);
    expect(await quotaEvents()).toEqual(['warning 1/1', 'reached 1/1']);
    await setQuota(0);
    expect(await quotaEvents()).toHaveLength(2);
  });

  it('are written where keys share a statement, each for its own key', async () => {
    const owners = await Promise.all(
      Array.from({ length: 12 }, async (_, n) => {
        const owner = await openCustomer(service);
        await service.keys.setDailyQuota(owner.accountId, owner.keyId, n + 1);
        return { ...owner, quota: n + 1, videoId: await addVideo(service.db, owner.accountId) };
      }),
    );
    await Promise.all(
      owners.flatMap((owner) =>
        Array.from({ length: 15 }, () => service.playback.mint(owner.key, owner.videoId).catch(() => undefined)),
      ),
    );
    for (const owner of owners) {
      const events = (await eventsOf(service.db, owner.accountId)).filter(({ data }) => 'used' in data);
      expect(events.map(({ type }) => type)).toEqual(['quota.warning', 'quota.reached']);
      expect(events[1]!.data).toMatchObject({ keyId: owner.keyId, used: owner.quota, dailyQuota: owner.quota });
    }
  });

  it('are not written for tokens that are rolled back', async () => {
    await setQuota(2);
    const broken = service.db.transaction(async ({ sql }) => {
      const mints = new MintQueue(sql, new DatabaseClock());
      for (let n = 0; n < 2; n += 1) await mints.take(key, hashKey(key)!, videoId);
      throw new Error('no');
    });
    await expect(broken).rejects.toThrow('no');
    expect(await quotaEvents()).toEqual([]);
    await mint(2);
    expect(await quotaEvents()).toEqual(['warning 2/2', 'reached 2/2']);
  });

  it('are written again on the next day', async () => {
    await setQuota(5);
    await mint(5);
    await clockAt(1);
    expect(await quotaEvents()).toHaveLength(2);
    await mint(5);
    const events = (await eventsOf(service.db, accountId)).filter(({ data }) => 'used' in data);
    expect(events.map(({ data }) => data['day'])).toEqual([dayOf(0), dayOf(0), dayOf(1), dayOf(1)]);
  });

  it('are written again at a quota that support has changed, and by the change if it crosses them', async () => {
    await setQuota(10);
    await mint(10);
    await setQuota(20);
    expect(await quotaEvents()).toHaveLength(2);
    await mint(6);
    expect((await quotaEvents()).slice(2)).toEqual(['warning 16/20']);
    await setQuota(18);
    expect((await quotaEvents()).slice(3)).toEqual(['warning 16/18']);
    await setQuota(12);
    expect((await quotaEvents()).slice(4)).toEqual(['warning 16/12', 'reached 16/12']);
    // The same quotas as before are no news.
    await setQuota(18);
    await setQuota(12);
    await setQuota(20);
    await mint(4);
    expect((await quotaEvents()).slice(6)).toEqual(['reached 20/20']);
  });

  it('are not written by a change of the quota of a revoked key, or for a day that is over', async () => {
    await setQuota(10);
    await mint(7);
    await clockAt(1);
    await setQuota(7);
    expect(await quotaEvents()).toEqual([]);
    await mint(5);
    await service.keys.revoke(accountId, keyId);
    await setQuota(5);
    expect(await quotaEvents()).toEqual([]);
  });

  it('are written for a new key that takes over what revoked keys have used', async () => {
    await mint(900);
    await service.keys.revoke(accountId, keyId);
    const { key: second } = await service.keys.create(accountId, { name: 'second' });
    expect(await quotaEvents()).toHaveLength(2);
    expect((await quotaEvents()).at(-1)).toBe('warning 900/1000');
    await mint(200, second);
    expect((await quotaEvents()).slice(2)).toEqual(['reached 1000/1000']);
  });

  it('are written when a key comes back from a day that a wrong clock counted', async () => {
    await setQuota(10);
    await mint(5);
    await clockAt(365);
    await mint(4);
    expect(await quotaEvents()).toEqual([]);
    await clockAt(0);
    expect(await mint(1)).toBe(1);
    expect(await quotaEvents()).toEqual(['warning 9/10', 'reached 10/10']);
  });

  it('are delivered to the webhook endpoints that want them', async () => {
    const endpointId = newId();
    await service.db.sql.query(
      {
        name: 'test-endpoint',
        text: `insert into webhook_endpoint
            (account_id, id, url, description, event_types, paused_until, lease_until, created_at)
          values ($1, $2, 'https://example.org/', '', '{quota.reached}', now(), now(), now())`,
      },
      [accountId, endpointId],
    );
    await setQuota(3);
    await mint(3);
    const deliveries = await service.db.sql.query(
      { name: 'test-deliveries', text: 'select type, state from webhook_delivery where endpoint_id = $1' },
      [endpointId],
    );
    expect(deliveries).toEqual([{ type: 'quota.reached', state: 'pending' }]);
  });
});
