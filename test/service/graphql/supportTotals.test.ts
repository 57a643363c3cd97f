import { readFileSync } from 'node:fs';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { LATE_AFTER_SECONDS } from '../../../src/domain/operations/totals/queueAges.js';
import type { Client } from '../../support/graphql/client.js';
import { GraphqlService } from './service.js';

const TOTALS = `query ($days: Int!) { platformTotals(days: $days) {
  day accounts signUps creditsToppedUp creditsSpent creditsRefunded videosUploaded videosReady videosFailed
  minutesEncoded tokens views storedBytes isFinal measuredAt
} }`;
const QUEUES = '{ queueAges { kind waiting running failed oldestSeconds lateAfterSeconds } }';

describe('the totals and queues of the platform over GraphQL', () => {
  let service: GraphqlService;
  let staff: Client;

  beforeAll(async () => {
    service = await GraphqlService.start();
    staff = await service.signedIn('staff@example.com', 'support');
  });
  afterAll(() => service.stop());

  it('are for staff who have passed their second factor', async () => {
    const owner = await service.signedIn('owner@example.com');
    const fresh = await service.signedIn('fresh@example.com', 'support');
    await service.rows('update auth.session set "twoFactorPassed" = false where "userId" = $1', [fresh.accountId]);
    for (const [text, values] of [[TOTALS, { days: 30 }], [QUEUES]] as const) {
      expect(await owner.code(text, values)).toBe('FORBIDDEN');
      expect(await fresh.code(text, values)).toBe('TWO_FACTOR_REQUIRED');
    }
  });

  it('are those of today, once a worker has counted', async () => {
    expect(await staff.data(TOTALS, { days: 400 })).toEqual({ platformTotals: [] });
    await service.services.platformTotals.measureDue();
    const { platformTotals } = await staff.data(TOTALS, { days: 30 });
    const [{ now, accounts }] = (await service.rows<{ now: string; accounts: number }>(
      `select (service_now() at time zone 'UTC')::date::text as now, (select count(*)::integer from account) as accounts`,
    )) as [{ now: string; accounts: number }];
    expect(platformTotals.at(-1)).toMatchObject({
      accounts,
      creditsToppedUp: '0',
      minutesEncoded: 0,
      storedBytes: null,
      isFinal: false,
    });
    expect(platformTotals.at(-1).day <= now).toBe(true);
    expect(await staff.code(TOTALS, { days: 0 })).toBe('INVALID_INPUT');
    expect(await staff.code(TOTALS, { days: 401 })).toBe('INVALID_INPUT');
  });

  it('show how long the oldest job of each kind has waited, and how many were given up', async () => {
    const ask = async () => {
      const { queueAges } = await staff.data(QUEUES);
      return new Map((queueAges as { kind: string }[]).map((age) => [age.kind, age]));
    };
    expect([...(await ask()).keys()].toSorted()).toEqual([
      'encode-chunk',
      'measure-upload',
      'night',
      'process-video',
      'storage-night',
      'sweep',
      'webhooks',
    ]);
    const job = { accountId: staff.accountId, videoId: staff.accountId, attempt: 1 };
    await service.services.db.transaction(({ sql }) => service.services.queue.enqueueProcessVideo(sql, job));
    await service.services.db.transaction(({ sql }) => service.services.queue.enqueueMeasureUpload(sql, job));
    await service.rows(
      `update pgboss.job set created_on = now() - interval '20 minutes', start_after = now() - interval '20 minutes' where name = 'process-video'`,
    );
    await service.rows(`update pgboss.job set state = 'failed', completed_on = now() where name = 'measure-upload'`);
    await service.rows(
      `insert into processing (account_id, video_id, attempt, quote_id, quality, price_micros, state, queued_at, updated_at, finished_at)
       select $1, gen_random_uuid(), 1, gen_random_uuid(), '480p', 0, 'failed', now(), now(), service_now() - hours * interval '1 hour'
       from unnest(array[1, 23, 25]) hours`,
      [staff.accountId],
    );
    const ages = await ask();
    expect(ages.get('measure-upload')).toMatchObject({ waiting: 0, failed: 1, oldestSeconds: 0 });
    expect(ages.get('process-video')).toMatchObject({ waiting: 1, running: 0, failed: 2, lateAfterSeconds: 900 });
    expect((ages.get('process-video') as { oldestSeconds?: number }).oldestSeconds).toBeGreaterThanOrEqual(1_200);
    expect(ages.get('webhooks')).toMatchObject({ waiting: null, running: null, failed: null, lateAfterSeconds: 300 });
  });

  it('call a queue late when the rules of Prometheus alert', () => {
    const rules = readFileSync('deploy/prometheus/dhara.rules.yaml', 'utf8');
    expect(rules).toContain(
      `dhara:queue_oldest_seconds{kind=~"measure-upload|process-video"} > ${LATE_AFTER_SECONDS['measure-upload']}`,
    );
    expect(LATE_AFTER_SECONDS['process-video']).toBe(LATE_AFTER_SECONDS['measure-upload']);
    expect(rules).toContain(`max(dhara_webhook_lag_seconds) > ${LATE_AFTER_SECONDS['webhooks']}`);
    expect(rules).toContain(
      `max(dhara_storage_night_lag_seconds) > ${LATE_AFTER_SECONDS['storage-night']! / 3600} * 3600`,
    );
  });
});
