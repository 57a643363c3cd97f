import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { installVirtualClock, setClockOffset } from '../../../src/db/virtualClock.js';
import { addVideo, openAccount, type RestService, startRestService } from '../../support/contract/service.js';
import { IS_FULL } from '../../support/effort.js';

const QUOTA = 1000;
const RACES = IS_FULL ? 60 : 6;
const WALKS = IS_FULL ? 40 : 4;
const STEPS = 40;

interface LiveKey {
  readonly id: string;
  readonly text: string;
}

let service: RestService;
beforeAll(async () => {
  service = await startRestService({ maxConnections: 20 });
  await installVirtualClock(service.database.migrationUrl);
  // Far from midnight, when a new quota would begin in the middle of a test.
  const intoDayMs = Date.now() % 86_400_000;
  await setClockOffset(service.database.migrationUrl, 6 * 3_600_000 - intoDayMs);
});
afterAll(() => service.stop());

async function scene() {
  const accountId = await openAccount(service.db);
  const videoId = await addVideo(service.db, accountId);
  const create = async (): Promise<LiveKey> => {
    const { key, record } = await service.keys.create(accountId, { name: 'a key' });
    return { id: record.id, text: key };
  };
  const mint = async (key: LiveKey, times: number): Promise<number> => {
    const tries = await Promise.allSettled(
      Array.from({ length: times }, () => service.playback.mint(key.text, videoId)),
    );
    return tries.filter(({ status }) => status === 'fulfilled').length;
  };
  const revoke = (key: LiveKey) => service.keys.revoke(accountId, key.id);
  return { accountId, create, mint, revoke };
}

describe('revoking and creating keys', () => {
  it('keeps counting where the revoked key stopped', async () => {
    const { accountId, create, mint, revoke } = await scene();
    const first = await create();
    expect(await mint(first, 700)).toBe(700);
    await revoke(first);
    const second = await create();
    expect((await service.keys.list(accountId))[0]).toMatchObject({ id: second.id, usedToday: 700 });
    expect(await mint(second, 500)).toBe(300);
    await revoke(second);
    expect(await mint(await create(), 10)).toBe(0);
  });

  it('leaves each live key its own quota, and passes the usage of revoked keys on to new ones', async () => {
    const { create, mint, revoke } = await scene();
    const keys = [await create(), await create(), await create()] as const;
    expect(await mint(keys[0], 1100)).toBe(QUOTA);
    expect(await mint(keys[1], 600)).toBe(600);
    expect(await mint(keys[2], 700)).toBe(700);
    await revoke(keys[1]);
    await revoke(keys[2]);
    // 1,300 are used: the first new key has nothing left, the next one 700.
    expect(await mint(await create(), 10)).toBe(0);
    expect(await mint(await create(), 800)).toBe(700);
    expect(await mint(await create(), 1100)).toBe(QUOTA);
  });

  it('counts a revoked key once, however often and concurrently it is revoked', async () => {
    const { create, mint, revoke } = await scene();
    const first = await create();
    await mint(first, 400);
    await Promise.all(Array.from({ length: 5 }, () => revoke(first)));
    expect(await mint(await create(), QUOTA)).toBe(600);
  });

  it('starts at 0 after midnight, and lists tokens on the day of the key that created them', async () => {
    const { accountId, create, mint, revoke } = await scene();
    const first = await create();
    await mint(first, 400);
    await revoke(first);
    const second = await create();
    await mint(second, 100);
    const used = async (id: string) => (await service.keys.usage(accountId, [id], 30)).get(id)?.map((day) => day.used);
    expect([await used(first.id), await used(second.id)]).toEqual([[400], [100]]);
    const intoDayMs = Date.now() % 86_400_000;
    try {
      await setClockOffset(service.database.migrationUrl, 30 * 3_600_000 - intoDayMs);
      expect(await mint(second, 1)).toBe(1);
      expect([await used(first.id), await used(second.id)]).toEqual([[400], [100, 1]]);
      await revoke(second);
      expect(await mint(await create(), 1100)).toBe(QUOTA - 1);
    } finally {
      await setClockOffset(service.database.migrationUrl, 6 * 3_600_000 - intoDayMs);
    }
  });

  it(`grants no extra tokens while they are created with the key being revoked, ${RACES} times`, async () => {
    for (let race = 0; race < RACES; race += 1) {
      const { create, mint, revoke } = await scene();
      const first = await create();
      const minting = Array.from({ length: 30 }, () => mint(first, 20));
      await minting[race % 30];
      await revoke(first);
      const second = await create();
      const ofSecond = mint(second, QUOTA + 50);
      const ofFirst = (await Promise.all(minting)).reduce((sum, n) => sum + n, 0);
      expect(ofFirst + (await ofSecond)).toBe(QUOTA);
    }
  });

  it(`never grants more than the keys that lived at once could create, in ${WALKS} random walks`, async () => {
    for (let walk = 0; walk < WALKS; walk += 1) {
      const { create, mint, revoke } = await scene();
      const random = randomFrom(walk + 1);
      const live: LiveKey[] = [];
      let minted = 0;
      let peak = 0;
      for (let step = 0; step < STEPS; step += 1) {
        const key = live[Math.floor(random() * live.length)];
        const choice = random();
        if (key === undefined || (choice < 0.3 && live.length < 4)) live.push(await create());
        else if (choice < 0.6) {
          live.splice(live.indexOf(key), 1);
          const both = await Promise.all([mint(key, Math.floor(random() * 400)), revoke(key)]);
          minted += both[0];
        } else minted += await mint(key, Math.floor(random() * 900));
        peak = Math.max(peak, live.length);
      }
      for (const key of live) minted += await mint(key, QUOTA + 1);
      expect(minted, `walk ${walk}`).toBeLessThanOrEqual(peak * QUOTA);
    }
  });
});

describe('the number of keys', () => {
  it('is limited to 20 live ones, however many are created at once', async () => {
    const accountId = await openAccount(service.db);
    const results = await Promise.allSettled(
      Array.from({ length: 30 }, (_, n) => service.keys.create(accountId, { name: `k${n}` })),
    );
    const refused = results.filter((result) => result.status === 'rejected');
    expect(refused).toHaveLength(10);
    for (const { reason } of refused) expect(reason).toMatchObject({ code: 'LIMIT_REACHED' });
    const [first] = await service.keys.list(accountId);
    await service.keys.revoke(accountId, first!.id);
    await service.keys.create(accountId, { name: 'again' });
  });

  it('is limited to 100 new ones a day and 100 stored revoked ones', async () => {
    const { accountId, create, revoke } = await scene();
    for (let n = 0; n < 100; n += 1) await revoke(await create());
    await expect(create()).rejects.toMatchObject({ code: 'LIMIT_REACHED' });
    const intoDayMs = Date.now() % 86_400_000;
    try {
      for (let day = 1; day <= 2; day += 1) {
        await setClockOffset(service.database.migrationUrl, (day * 24 + 6) * 3_600_000 - intoDayMs);
        for (let n = 0; n < 30; n += 1) await revoke(await create());
      }
      const { rows } = await service.db.pool.query('select count(*)::int as n from api_key where account_id = $1', [
        accountId,
      ]);
      expect(rows[0].n).toBeLessThanOrEqual(130);
      expect(await service.keys.list(accountId)).toHaveLength(20);
      const seen: string[] = [];
      for (let after: string | null = null; ;) {
        const page = await service.keys.listRevoked(accountId, { first: 40, after });
        seen.push(...page.map(({ id }) => id));
        after = page.at(-1)?.id ?? null;
        if (page.length < 40) break;
      }
      expect(new Set(seen).size).toBe(rows[0].n);
      expect(seen).toHaveLength(rows[0].n);
    } finally {
      await setClockOffset(service.database.migrationUrl, 6 * 3_600_000 - intoDayMs);
    }
  });
});

function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
