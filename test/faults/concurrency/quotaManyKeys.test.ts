import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { newId } from '../../../src/domain/shared/ids.js';
import { addVideo, openCustomer, type RestService, startRestService } from '../../support/contract/service.js';
import { IS_FULL } from '../../support/effort.js';
import { type Answer, type Fleet, startFleet } from './processes.js';

const KEYS = 24;
const REQUESTS_PER_KEY = IS_FULL ? 400 : 40;
const ROUNDS = IS_FULL ? 20 : 1;

let service: RestService;
let fleet: Fleet;
let rows: pg.Pool;
beforeAll(async () => {
  service = await startRestService();
  rows = new pg.Pool({ connectionString: service.database.migrationUrl, max: 1 });
  fleet = await startFleet(service, [0, 0, 0, 0]);
});
afterAll(async () => {
  await fleet?.stop();
  await rows?.end();
  await service?.stop();
});

async function customer(dailyQuota: number) {
  const opened = await openCustomer(service);
  await service.keys.setDailyQuota(opened.accountId, opened.keyId, dailyQuota);
  return { ...opened, dailyQuota, videoId: await addVideo(service.db, opened.accountId) };
}

async function usedToday(accountId: string): Promise<number | undefined> {
  return (await service.keys.list(accountId))[0]?.usedToday;
}

const statusesOf = (answers: readonly Answer[]): number[] =>
  [...new Set(answers.map(({ status }) => status))].sort((a, b) => a - b);

/** Requests of many keys share statements, but each key's refusal is its own. */
it('gives each of many keys in four processes exactly its quota, or its own refusal', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    // Quotas from zero to more than is requested.
    const owners = await Promise.all(
      Array.from({ length: KEYS }, (_, n) => customer(Math.floor((n * REQUESTS_PER_KEY * 1.3) / (KEYS - 1)))),
    );
    const revoked = await customer(1000);
    await rows.query('update api_key set revoked_at = clock_timestamp() where id = $1', [revoked.keyId]);
    const suspended = await customer(1000);
    await rows.query('update api_key set suspended = true where id = $1', [suspended.keyId]);
    const elsewhere = await customer(1000);

    const asked = (who: { key: string }, videoId: string) =>
      Promise.all(Array.from({ length: REQUESTS_PER_KEY }, (_, n) => fleet.mint(n, who.key, videoId)));
    const [ofRevoked, ofSuspended, ofElsewhere, ...ofOwners] = await Promise.all([
      asked(revoked, revoked.videoId),
      asked(suspended, suspended.videoId),
      asked(elsewhere, newId()),
      ...owners.map((owner) => asked(owner, owner.videoId)),
    ]);

    expect([ofRevoked, ofSuspended, ofElsewhere].map((answers) => statusesOf(answers))).toEqual([[401], [403], [404]]);
    expect(await usedToday(elsewhere.accountId)).toBe(0);
    for (const [n, answers] of ofOwners.entries()) {
      const { accountId, dailyQuota } = owners[n]!;
      const expected = Math.min(dailyQuota, REQUESTS_PER_KEY);
      const granted = answers.filter(({ status }) => status === 200);
      const remaining = granted.map((answer) => answer.remaining).sort((a, b) => b - a);
      expect(remaining).toEqual(Array.from({ length: expected }, (_, nth) => dailyQuota - 1 - nth));
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(REQUESTS_PER_KEY - expected);
      expect(await usedToday(accountId)).toBe(expected);
    }
  }
});

it('a key whose row is locked delays no other key', async () => {
  const held = await customer(10);
  const others = await Promise.all(Array.from({ length: 12 }, () => customer(10)));
  const holder = new pg.Client({ connectionString: service.database.migrationUrl });
  await holder.connect();
  try {
    await holder.query('begin');
    await holder.query('select 1 from api_key where account_id = $1 for update', [held.accountId]);
    let isAnswered = false;
    const ask = ({ key, videoId }: typeof held) => fleet.mint(0, key, videoId);
    const before = others.map(ask);
    const waiting = Promise.all(Array.from({ length: 8 }, () => ask(held))).finally(() => {
      isAnswered = true;
    });
    expect(statusesOf(await Promise.all([...before, ...others.map(ask)]))).toEqual([200]);
    for (let times = 0; times < 5; times += 1) {
      expect(statusesOf(await Promise.all(others.map(ask)))).toEqual([200]);
    }
    expect(isAnswered).toBe(false);
    await holder.query('commit');
    expect(statusesOf(await waiting)).toEqual([200]);
    expect(await usedToday(held.accountId)).toBe(8);
  } finally {
    await holder.end();
  }
});
