import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { installVirtualClock, setClockOffset } from '../../../src/db/virtualClock.js';
import { addVideo, openCustomer, type RestService, startRestService } from '../../support/contract/service.js';
import { statementsWaiting } from '../../support/database/statementsWaiting.js';
import { claimsOf } from './processes.js';

const DAY_MS = 86_400_000;

/** A mint that waits for the key's row must be decided by the row's new contents, and by the time at its turn. */
describe('a mint that waits for the row of its key', () => {
  let service: RestService;
  let other: pg.Client;
  let customer: { accountId: string; key: string; keyId: string };
  let videoId: string;

  beforeEach(async () => {
    service = await startRestService();
    await installVirtualClock(service.database.migrationUrl);
    customer = await openCustomer(service);
    videoId = await addVideo(service.db, customer.accountId);
    other = new pg.Client({ connectionString: service.database.migrationUrl });
    await other.connect();
  });
  afterEach(async () => {
    await other.end();
    await service.stop();
  });

  function mint(): Promise<Response> {
    return fetch(`${service.url}/v1/video/${videoId}/playback-token`, {
      method: 'POST',
      headers: { 'x-service-key': customer.key },
    });
  }

  /** Changes the key in a transaction, commits once the mint waits for it, and returns the mint's response. */
  async function mintDuring(change: string, beforeCommit?: () => Promise<void>): Promise<Response> {
    await other.query('begin');
    await other.query(`${change} where account_id = $1 and id = $2`, [customer.accountId, customer.keyId]);
    const answer = mint();
    const mintsWaiting = () => statementsWaiting(service.db.pool, '%update api_key%');
    await expect.poll(mintsWaiting, { interval: 10 }).toBe(1);
    await beforeCommit?.();
    await other.query('commit');
    return answer;
  }

  async function used(): Promise<number | undefined> {
    return (await service.keys.list(customer.accountId))[0]?.usedToday;
  }

  it('is refused if the change revoked the key', async () => {
    const answer = await mintDuring('update api_key set revoked_at = clock_timestamp()');
    expect(answer.status).toBe(401);
    expect(answer.headers.get('x-ratelimit-limit')).toBe('0');
    expect(await used()).toBe(0);
  });

  it('is refused if the change suspended the account', async () => {
    const answer = await mintDuring('update api_key set suspended = true');
    expect(answer.status).toBe(403);
    expect(await used()).toBe(0);
  });

  it('is refused if the change left no quota', async () => {
    const answer = await mintDuring('update api_key set daily_limit = 0');
    expect(answer.status).toBe(429);
    expect(answer.headers.get('x-ratelimit-limit')).toBe('0');
    expect(await used()).toBe(0);
  });

  it('continues from the count and the quota that the change left', async () => {
    const answer = await mintDuring(
      `update api_key set daily_limit = 5000, used = 4000, usage_day = (service_now() at time zone 'UTC')::date`,
    );
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-ratelimit-limit')).toBe('5000');
    expect(answer.headers.get('x-ratelimit-remaining')).toBe('999');
    expect(await used()).toBe(4001);
  });

  it('is granted if a used-up quota was raised meanwhile', async () => {
    await other.query(`update api_key set used = 1000, usage_day = (service_now() at time zone 'UTC')::date`);
    expect((await mint()).status).toBe(429);
    await other.query('update api_key set daily_limit = 1001');
    const answer = await mint();
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-ratelimit-remaining')).toBe('0');
  });

  it('counts on the day on which it gets its turn', async () => {
    const before = await mint();
    const firstReset = Number(before.headers.get('x-ratelimit-reset'));
    const answer = await mintDuring('update api_key set used = used + 10', () =>
      setClockOffset(service.database.migrationUrl, DAY_MS),
    );

    expect(Number(answer.headers.get('x-ratelimit-reset'))).toBe(firstReset + DAY_MS / 1000);
    expect(answer.headers.get('x-ratelimit-remaining')).toBe('999');
    const { data } = (await answer.json()) as { data: { token: string } };
    expect(claimsOf(data.token).iat).toBeGreaterThan(firstReset);
  });

  it('stays on its day if the clock is set back', async () => {
    await setClockOffset(service.database.migrationUrl, DAY_MS);
    const later = await mint();
    await setClockOffset(service.database.migrationUrl, 0);
    const back = await mint();

    expect(back.headers.get('x-ratelimit-reset')).toBe(later.headers.get('x-ratelimit-reset'));
    expect(back.headers.get('x-ratelimit-remaining')).toBe('998');
  });
});
