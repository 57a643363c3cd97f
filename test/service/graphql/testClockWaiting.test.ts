import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { newId } from '../../../src/domain/shared/ids.js';
import type { Client } from '../../support/graphql/client.js';
import { statementsWaiting } from '../../support/database/statementsWaiting.js';
import { paperVideo } from './parents.js';
import { GraphqlService } from './service.js';

let service: GraphqlService;
let live: Client;
let test: Client;
let testId: string;

beforeAll(async () => {
  service = await GraphqlService.start();
});
beforeEach(async () => {
  await service.rows('delete from auth."rateLimit"');
  live = await service.signedIn(`${newId()}@example.com`);
  test = live.inTestMode;
  testId = (await test.data('{ viewer { account { id } } }'))['viewer'].account.id as string;
});
afterAll(() => service.stop());

const move = (seconds: number) => test.data(`mutation { moveTestClock(seconds: ${seconds}) { movedSeconds } }`);

describe('a move of the clock of test mode', () => {
  it('lets a video begin sooner that waits on purpose, and no live one', async () => {
    const { db, queue } = service.services;
    const queued = async (accountId: string, afterSeconds: number): Promise<string> => {
      const videoId = await paperVideo(service, accountId);
      await service.rows(`update video set status = 'queued', attempt = 1 where id = $1`, [videoId]);
      const jobId = await queue.enqueueProcessVideo(db.sql, { accountId, videoId, attempt: 1 }, { afterSeconds });
      await service.rows(
        `insert into processing (account_id, video_id, attempt, quote_id, quality, price_micros, job_id, queued_at, updated_at)
         values ($1, $2, 1, $3, '480p', 0, $4, service_now(), service_now())`,
        [accountId, videoId, newId(), jobId],
      );
      return jobId;
    };
    const jobs = [await queued(testId, 90_000), await queued(testId, 100), await queued(live.accountId, 90_000)];
    const starts = async () => {
      const rows = await service.rows<{ id: string; at: number; is_due: boolean }>(
        `select id, extract(epoch from start_after)::float8 as at, start_after between created_on and now() as is_due
         from pgboss.job where id = any ($1)`,
        [jobs],
      );
      return jobs.map((id) => rows.find((row) => row.id === id)!);
    };
    const before = await starts();
    await move(300);
    const [long, short, ofLive] = await starts();
    expect(before[0]!.at - long!.at).toBeCloseTo(300, 3);
    // It is due now, and has not been due for long: operators would see a queue that does not move.
    expect([before[1]!.is_due, short!.is_due]).toEqual([false, true]);
    expect(ofLive).toEqual(before[2]);
    // A job that has begun is left alone.
    await service.rows(`update pgboss.job set state = 'active' where id = $1`, [jobs[0]]);
    await move(300);
    expect((await starts())[0]).toEqual(long);
  });

  it('waits for its turn without a connection of the pool', async () => {
    const { pool } = service.services.db;
    const locked = await service.admin.connect();
    try {
      await locked.query('begin');
      await locked.query('select from account where id = $1 for update', [testId]);
      const moves = [
        ...Array.from({ length: 3 * pool.options.max }, () => move(60)),
        ...Array.from({ length: pool.options.max }, () =>
          test.data('mutation { simulatePayment(amount: "1") { id } }'),
        ),
      ];
      const waiting = () => statementsWaiting(service.admin);
      await expect.poll(waiting).toBeGreaterThan(0);
      // Others are answered meanwhile, although more wait than there are connections.
      for (let times = 0; times < 5; times += 1) {
        expect(await live.data('{ viewer { account { id } } }')).toBeDefined();
        expect(await waiting()).toBe(1);
      }
      await locked.query('commit');
      await Promise.all(moves);
    } finally {
      locked.release();
    }
    const { testClock, testWallet } = await test.data('{ testClock { movedSeconds } testWallet { available } }');
    expect([testClock.movedSeconds, testWallet.available]).toEqual([
      3 * 60 * pool.options.max,
      String(pool.options.max),
    ]);
  });
});
