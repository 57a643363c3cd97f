import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { readyVideo } from './parents.js';
import { GraphqlService } from './service.js';

const DAY = 86_400;

let service: GraphqlService;

beforeAll(async () => {
  service = await GraphqlService.start();
});
afterAll(() => service.stop());

describe('a move of the clock of test mode', () => {
  it('works in an account with thousands of facts, and sums up moves and nights without changing any figure', async () => {
    const test = (await service.signedIn('owner@example.com')).inTestMode;
    const testId = (await test.data('{ viewer { account { id } } }'))['viewer'].account.id as string;
    const { playback } = service.services;
    const move = async () =>
      (await test.data('mutation { moveTestClock(seconds: 1) { movedSeconds } }'))['moveTestClock'];
    const videoId = await readyVideo(service, testId);
    const key = (await test.data('mutation { createApiKey(name: "a") { key } }'))['createApiKey'].key as string;
    const { token } = await playback.mint(key, videoId);
    await service.rows(
      `update video set created_at = service_now() - interval '1 day' - interval '500 milliseconds' where id = $1`,
      [videoId],
    );
    /** One a second, the last of them so long ago. */
    const facts = (fact: string, count: number, { ago, seconds = null, amount = null }: Record<string, unknown>) =>
      service.rows(
        `insert into test_fault (account_id, subject_id, fault, seconds, amount_micros, created_at)
         select $1, gen_random_uuid(), $2, $4::int, $5::bigint, service_now() - $6::interval - n * interval '1 second'
         from generate_series(1, $3::int) n`,
        [testId, fact, count, seconds, amount, ago],
      );
    // Of these, 3,000 are older than the video.
    await facts('CLOCK_MOVED', 3_000, { ago: '1 day', seconds: 31 * DAY });
    await facts('CLOCK_MOVED', 2_000, { ago: '1 hour', seconds: 7 });
    await facts('PAYMENT_MADE', 4_999, { ago: '2 days', amount: 3_000_000 });
    await facts('STORAGE_CHARGED', 1_500, { ago: '1 day', amount: 10_000_000 });
    await facts('PAYMENT_MADE', 1, { ago: '3 hours', amount: 5_000_000 });
    await facts('STORAGE_CHARGED', 1_500, { ago: '1 hour', amount: 1 });

    const wallet = async () => (await test.data('{ testWallet { available debt disputeHold } }'))['testWallet'];
    const figures = async () => [await wallet(), (await test.data('{ testClock { movedSeconds } }'))['testClock']];
    const aged = async () =>
      (
        await service.rows<{ moved: number }>(
          `select sum(seconds + coalesce(folded_seconds, 0))::float8 as moved from test_fault f join video v using (account_id)
         where v.id = $1 and f.fault = 'CLOCK_MOVED' and f.created_at > v.created_at`,
          [videoId],
        )
      )[0]!.moved;
    const counts = () =>
      service.rows<{ fault: string; n: number }>(
        `select fault, count(*)::int as n from test_fault where account_id = $1 group by 1 order by 1`,
        [testId],
      );
    const [before, ageBefore] = [await figures(), await aged()];
    expect(before[0]).toEqual({ available: '1.9985', debt: '0', disputeHold: '0' });
    expect(ageBefore).toBe(2_000 * 7);
    for (let n = 1; n <= 2; n += 1) {
      expect((await move()).movedSeconds).toBe(before[1].movedSeconds + n);
      expect([await wallet(), await aged()]).toEqual([before[0], ageBefore + n]);
    }
    expect(await counts()).toEqual([
      { fault: 'CLOCK_MOVED', n: 4 },
      { fault: 'PAYMENT_MADE', n: 5_000 },
      { fault: 'STORAGE_CHARGED', n: 2 },
    ]);
    expect(await test.code('mutation { simulatePayment(amount: "1") { id } }')).toBe('LIMIT_REACHED');
    // A token sees every move since it was created.
    await expect(playback.manifest(token.token)).rejects.toMatchObject({ code: 'PLAYBACK_TOKEN_EXPIRED' });
    const { token: fresh } = await playback.mint(key, videoId);
    expect((JSON.parse(Buffer.from(fresh.token.split('.')[1]!, 'base64url').toString()) as { clk?: number }).clk).toBe(
      before[1].movedSeconds + 2,
    );
    expect((await playback.manifest(fresh.token)).title).toBe('A video');
  });
});
