import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { newId } from '../../../src/domain/shared/ids.js';
import { addVideo, openCustomer, type RestService, startRestService } from '../../support/contract/service.js';
import { type Answer, type Fleet, startFleet } from './processes.js';
import { IS_FULL } from '../../support/effort.js';

const REQUESTS = IS_FULL ? 5000 : 1200;
const QUOTA = IS_FULL ? 1000 : 240;
const ROUNDS = IS_FULL ? 20 : 1;

let service: RestService;
let fleet: Fleet;
beforeAll(async () => {
  service = await startRestService();
  fleet = await startFleet(service, [0, 0, 0, 0]);
});
afterAll(async () => {
  await fleet.stop();
  await service.stop();
});

async function customer(dailyQuota: number) {
  const opened = await openCustomer(service);
  await service.keys.setDailyQuota(opened.accountId, opened.keyId, dailyQuota);
  return { ...opened, videoId: await addVideo(service.db, opened.accountId) };
}

async function usedToday(accountId: string): Promise<number | undefined> {
  return (await service.keys.list(accountId))[0]?.usedToday;
}

function count(answers: readonly Answer[], status: number): number {
  return answers.filter((answer) => answer.status === status).length;
}

describe('the daily quota, with four processes', () => {
  it(`gives exactly ${QUOTA} tokens to ${REQUESTS} concurrent requests`, async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { accountId, key, videoId } = await customer(QUOTA);
      // Every fifth request asks for a missing video, which must not use up a token.
      const answers = await Promise.all(
        Array.from({ length: REQUESTS }, (_, n) => fleet.mint(n, key, n % 5 === 0 ? newId() : videoId)),
      );

      const granted = answers.filter((answer) => answer.status === 200);
      const remaining = granted.map((answer) => answer.remaining).sort((a, b) => b - a);
      expect(remaining).toEqual(Array.from({ length: QUOTA }, (_, n) => QUOTA - 1 - n));
      expect(new Set(granted.map((answer) => answer.body.data?.token)).size).toBe(QUOTA);
      expect(await usedToday(accountId)).toBe(QUOTA);
      for (const answer of answers) {
        expect(answer.limit).toBe(QUOTA);
        expect(answer.reset % 86_400).toBe(86_399);
        if (answer.status === 429) {
          expect(answer.remaining).toBe(0);
          expect(answer.retryAfter).toBeGreaterThan(0);
          expect(answer.body.error?.message).toBe(`Daily limit of ${QUOTA} playback tokens exceeded`);
        } else if (answer.status !== 200) {
          expect(answer.status).toBe(404);
          expect(answer.remaining).toBeGreaterThan(0);
        }
      }
      expect(count(answers, 200) + count(answers, 404) + count(answers, 429)).toBe(REQUESTS);
    }
  });

  it('gives exactly the new number if support raises it during the requests', async () => {
    const { accountId, key, keyId, videoId } = await customer(50);
    const first = Promise.all(Array.from({ length: 200 }, (_, n) => fleet.mint(n, key, videoId)));
    await service.keys.setDailyQuota(accountId, keyId, 120);
    const next = await fleet.mint(0, key, videoId);
    const second = await Promise.all(Array.from({ length: 200 }, (_, n) => fleet.mint(n, key, videoId)));

    expect(next.limit).toBe(120);
    expect(count([...(await first), next, ...second], 200)).toBe(120);
    expect(await usedToday(accountId)).toBe(120);
  });

  it('gives nothing after a revocation, on every process', async () => {
    const { accountId, key, keyId, videoId } = await customer(100_000);
    const during = Promise.all(Array.from({ length: 200 }, (_, n) => fleet.mint(n, key, videoId)));
    await service.keys.revoke(accountId, keyId);
    const used = await usedToday(accountId);
    const after = await Promise.all(Array.from({ length: 8 }, (_, n) => fleet.mint(n, key, videoId)));

    expect(count(after, 401)).toBe(8);
    expect(count(await during, 200)).toBe(used);
    expect(await usedToday(accountId)).toBe(used);
  });
});
