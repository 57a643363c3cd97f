import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { installVirtualClock, setClockOffset } from '../../../src/db/virtualClock.js';
import { addVideo, openCustomer, type RestService, startRestService } from '../../support/contract/service.js';

const DAY_MS = 86_400_000;
const YEAR_MS = 365 * DAY_MS;
const QUOTA = 10;

let service: RestService;
let customer: { accountId: string; key: string; keyId: string };
let videoId: string;

beforeAll(async () => {
  service = await startRestService();
  await installVirtualClock(service.database.migrationUrl);
});
afterAll(() => service.stop());
beforeEach(async () => {
  await clockAt(0);
  customer = await openCustomer(service);
  await service.keys.setDailyQuota(customer.accountId, customer.keyId, QUOTA);
  videoId = await addVideo(service.db, customer.accountId);
});

/** Sets the clock to noon plus the offset, so that no test is near midnight. */
function clockAt(offsetMs: number): Promise<void> {
  const noon = Math.floor(Date.now() / DAY_MS) * DAY_MS + DAY_MS / 2;
  return setClockOffset(service.database.migrationUrl, noon + offsetMs - Date.now());
}

function today(): number {
  return Math.floor(Date.now() / DAY_MS) * 86_400;
}

async function mint(times: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let n = 0; n < times; n += 1) statuses.push((await ask()).status);
  return statuses;
}

function ask(): Promise<Response> {
  return fetch(`${service.url}/v1/video/${videoId}/playback-token`, {
    method: 'POST',
    headers: { 'x-service-key': customer.key },
  });
}

describe('a key that was used while the clock was a year ahead', () => {
  it('creates tokens again as soon as the clock is corrected, with what is left of the real day', async () => {
    await mint(3);
    await clockAt(YEAR_MS);
    await mint(4);
    await clockAt(0);

    const answer = await ask();
    expect(answer.status).toBe(200);
    expect(Number(answer.headers.get('x-ratelimit-reset'))).toBe(today() + 86_399);
    // 3 before, 4 meanwhile, and this one.
    expect(answer.headers.get('x-ratelimit-remaining')).toBe('2');
    expect(await service.keys.usage(customer.accountId, [customer.keyId], 30)).toEqual(
      new Map([[customer.keyId, [expect.objectContaining({ used: 8 }) as unknown]]]),
    );
  });

  it('gives no second quota, however often the clock is set back and forth', async () => {
    await mint(3);
    for (const offset of [YEAR_MS, YEAR_MS + DAY_MS, 2 * YEAR_MS]) {
      await clockAt(offset);
      await mint(2);
    }
    await clockAt(0);
    expect(await mint(3)).toEqual([200, 429, 429]);
    await clockAt(YEAR_MS);
    await mint(2);
    await clockAt(0);
    const refused = await ask();
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBe(DAY_MS / 2000);
    // The next real day has a new quota.
    await clockAt(DAY_MS);
    expect((await ask()).headers.get('x-ratelimit-remaining')).toBe(String(QUOTA - 1));
  });

  it('comes back once, even with concurrent requests', async () => {
    await mint(2);
    await clockAt(YEAR_MS);
    await mint(2);
    await clockAt(0);
    const answers = await Promise.all(Array.from({ length: 20 }, ask));
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(QUOTA - 4);
    expect(answers.filter((answer) => answer.status === 429)).toHaveLength(20 - (QUOTA - 4));
  });
});
