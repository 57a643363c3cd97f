import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { installVirtualClock, setClockOffset } from '../../../src/db/virtualClock.js';
import { addVideo, openCustomer, type RestService, startRestService } from '../../support/contract/service.js';
import { type Answer, claimsOf, type Fleet, startFleet } from './processes.js';
import { IS_FULL } from '../../support/effort.js';

const QUOTA = IS_FULL ? 1000 : 200;
const CLIENTS = IS_FULL ? 64 : 24;
const DAY_MS = 86_400_000;
const TEN_MINUTES_MS = 600_000;
const BEFORE_MIDNIGHT_MS = IS_FULL ? 5000 : 2500;

let service: RestService;
let fleet: Fleet;
beforeAll(async () => {
  service = await startRestService();
  await installVirtualClock(service.database.migrationUrl);
  fleet = await startFleet(service, [-TEN_MINUTES_MS, TEN_MINUTES_MS, 0, TEN_MINUTES_MS]);
});
afterAll(async () => {
  await fleet.stop();
  await service.stop();
});

describe('a UTC midnight, with four processes whose clocks are ten minutes off', () => {
  it('never gives more than the quota on either day, nor a reset time of another day', async () => {
    const { accountId, key, keyId } = await openCustomer(service);
    const videoId = await addVideo(service.db, accountId);
    await service.keys.setDailyQuota(accountId, keyId, QUOTA);

    const nextMidnightMs = (Math.floor(Date.now() / DAY_MS) + 1) * DAY_MS;
    await setClockOffset(service.database.migrationUrl, nextMidnightMs - BEFORE_MIDNIGHT_MS - Date.now());
    const answers = (
      await Promise.all(Array.from({ length: CLIENTS }, (_, n) => askUntilNextDayIsUsedUp(n, key, videoId)))
    ).flat();

    const today = nextMidnightMs / 1000 - 1;
    const tomorrow = today + DAY_MS / 1000;
    expect(new Set(answers.map((answer) => answer.reset))).toEqual(new Set([today, tomorrow]));
    for (const reset of [today, tomorrow]) {
      const granted = answers.filter((answer) => answer.status === 200 && answer.reset === reset);
      // A slow machine may not use up the first day's quota before midnight.
      const used = reset === tomorrow ? QUOTA : granted.length;
      expect(granted.map((answer) => answer.remaining).sort((a, b) => b - a)).toEqual(
        Array.from({ length: used }, (_, n) => QUOTA - 1 - n),
      );
      expect(used).toBeLessThanOrEqual(QUOTA);
      for (const { body } of granted) {
        const { iat, exp } = claimsOf(body.data!.token);
        expect(Math.floor(iat / 86_400) * 86_400 + 86_399).toBe(reset);
        expect(exp).toBe(iat + 300);
      }
    }
    expect(answers.every((answer) => answer.status === 200 || answer.status === 429)).toBe(true);
  });

  async function askUntilNextDayIsUsedUp(n: number, key: string, videoId: string): Promise<Answer[]> {
    const answers: Answer[] = [];
    const [first] = [await fleet.mint(n, key, videoId)];
    answers.push(first);
    for (;;) {
      const answer = await fleet.mint(n + answers.length, key, videoId);
      answers.push(answer);
      if (answer.status === 429 && answer.reset > first.reset) return answers;
    }
  }
});
