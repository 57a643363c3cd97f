import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { installVirtualClock } from '../../../src/db/virtualClock.js';
import type { WebhookDeliverer } from '../../../src/domain/accounts/webhooks/deliverer.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { clockAfterNoon } from '../../support/contract/service.js';
import { eventsOf } from '../../support/events/log.js';
import type { Client } from '../../support/graphql/client.js';
import { HookServer } from '../../support/webhooks/hookServer.js';
import { readyVideo } from './parents.js';
import { GraphqlService } from './service.js';

const DAY = 86_400;
const MOVE = 'mutation ($seconds: Int!) { moveTestClock(seconds: $seconds) { now movedSeconds } }';
const CREATE_KEY = 'mutation ($fault: TestKeyFault) { createApiKey(name: "a", testFault: $fault) { key } }';
const CREATE_ENDPOINT = `mutation ($url: String!, $fault: TestWebhookFault) {
  createWebhookEndpoint(url: $url, testFault: $fault) { endpoint { id } }
}`;
const VISITOR = { address: undefined, userAgent: undefined, country: undefined };
const ENDPOINTS = '{ webhookEndpoints { disabledReason failingSince previousSecretEndsAt } }';

let service: GraphqlService;
const servers: HookServer[] = [];
const deliverers: WebhookDeliverer[] = [];

beforeAll(async () => {
  service = await GraphqlService.start();
  await installVirtualClock(service.database.migrationUrl);
  // Nothing but a move may pass midnight.
  await clockAfterNoon(service);
});
// Every test signs in, and sign-ins are limited per minute.
beforeEach(() => service.rows('delete from auth."rateLimit"'));
afterEach(async () => {
  await Promise.all(deliverers.splice(0).map((deliverer) => deliverer.stop()));
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});
afterAll(() => service.stop());

interface Owner {
  readonly live: Client;
  readonly test: Client;
  readonly liveId: string;
  readonly testId: string;
}

async function signedIn(): Promise<Owner> {
  const live = await service.signedIn(`${newId()}@example.com`);
  const test = live.inTestMode;
  const testId = (await test.data('{ viewer { account { id } } }'))['viewer'].account.id as string;
  return { live, test, liveId: live.accountId, testId };
}

const move = async ({ test }: Owner, seconds: number) => (await test.data(MOVE, { seconds }))['moveTestClock'];
const keyOf = async (client: Client, fault: string | null = null): Promise<string> =>
  (await client.data(CREATE_KEY, { fault }))['createApiKey'].key;
const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as { jti: string; clk?: number };
const mint = (key: string, videoId: string) => service.services.playback.mint(key, videoId);
const exchange = (token: string) => service.services.playback.manifest(token);
const typesOf = async (accountId: string): Promise<string[]> =>
  (await eventsOf(service.services.db, accountId)).map(({ type }) => type);

/** A server that answers with this status, and an endpoint for it. */
async function endpoint({ test }: Owner, status: number, fault: string | null = null): Promise<HookServer> {
  const server = await HookServer.start();
  servers.push(server);
  server.answer = (_hook, res) => void res.writeHead(status).end();
  await test.data(CREATE_ENDPOINT, { url: server.url, fault });
  return server;
}

function deliver(): void {
  deliverers.push(service.deliverWebhooks());
}

describe('a move of the clock of test mode', () => {
  it('expires the tokens that were created before, by as much as it moves, and no live ones', async () => {
    const owner = await signedIn();
    const [testKey, liveKey] = [await keyOf(owner.test), await keyOf(owner.live)];
    const videos = [await readyVideo(service, owner.testId), await readyVideo(service, owner.liveId)];
    const { token: test } = await mint(testKey, videos[0]!);
    const { token: live } = await mint(liveKey, videos[1]!);
    await move(owner, 120);
    expect((await exchange(test.token)).title).toBe('A video');
    await move(owner, 180);
    await expect(exchange(test.token)).rejects.toMatchObject({ code: 'PLAYBACK_TOKEN_EXPIRED' });
    expect(await service.services.playback.explain(owner.testId, test.token)).toMatchObject({ failedRule: 'expiry' });
    await exchange(live.token);
    // A token of now is as old as any.
    const { token: next } = await mint(testKey, videos[0]!);
    expect(Math.abs(next.expiresAt.getTime() - live.expiresAt.getTime())).toBeLessThan(60_000);
    await exchange(next.token);
    expect(claimsOf(live.token)).not.toHaveProperty('clk');
  });

  it('ends streams that began before, and previews, and the explanation says so', async () => {
    const owner = await signedIn();
    const { playback, views } = service.services;
    const videoId = await readyVideo(service, owner.testId);
    const key = await keyOf(owner.test);
    await move(owner, 3_600);
    const began = [(await mint(key, videoId)).token, await playback.previewToken(owner.testId, videoId)];
    const lasts = async (text: string) => {
      const { rules } = await playback.explain(owner.testId, text);
      return rules.find(({ rule }) => rule === 'grant')!.outcome === 'passed';
    };
    const streams = await Promise.all(began.map(({ token }) => playback.manifest(token, {}, VISITOR)));
    await views.flush();
    const viewIds = began.map(({ token }) => claimsOf(token).jti);
    const subjects = [...began.map(({ token }) => token), ...viewIds, ...streams.map(({ url }) => url)];
    const [{ now }] = (await service.rows<{ now: Date }>('select service_now() as now')) as [{ now: Date }];
    // Its token has five minutes, the video has one, and a stream lasts for six hours more.
    for (const { expiresAt } of streams) {
      expect(Math.abs(expiresAt.getTime() - now.getTime() - (5 + 1 + 360) * 60_000)).toBeLessThan(600_000);
    }
    await move(owner, 5 * 3_600);
    expect(await Promise.all(subjects.map(lasts))).toEqual(subjects.map(() => true));
    await move(owner, 2 * 3_600);
    expect(await Promise.all(subjects.map(lasts))).toEqual(subjects.map(() => false));
    expect(await playback.explain(owner.testId, viewIds[0]!)).toMatchObject({ failedRule: 'grant' });
    for (const { token } of began) {
      await expect(exchange(token)).rejects.toMatchObject({ code: 'PLAYBACK_TOKEN_EXPIRED' });
    }
  });

  it('between the creation and the exchange of a token makes the stream end as much sooner, and the explanation says when', async () => {
    const owner = await signedIn();
    const { playback, views } = service.services;
    const videoId = await readyVideo(service, owner.testId);
    const liveOn = await keyOf(owner.test, 'TOKENS_LIVE_ON');
    const endOf = async (text: string) => {
      const { rules } = await playback.explain(owner.testId, text);
      return rules.find(({ rule }) => rule === 'grant')!.facts.find(({ name }) => name === 'endsAt')!.value;
    };
    // The clock is moved in the second in which the tokens are created, too.
    await move(owner, 7 * 3_600);
    for (const [key, moved] of [
      [await keyOf(owner.test), 240],
      [liveOn, 3_000],
    ] as const) {
      const { token } = await mint(key, videoId);
      await move(owner, moved);
      const { url } = await playback.manifest(token.token, {}, VISITOR);
      await views.flush();
      const ends = await Promise.all([token.token, claimsOf(token.token).jti, url].map(endOf));
      expect(new Set(ends).size).toBe(1);
      const stream = await playback.manifest(token.token);
      const [{ moved: now }] = (await service.rows<{ moved: number }>(
        `select sum(seconds)::float8 as moved from test_fault where account_id = $1 and fault = 'CLOCK_MOVED'`,
        [owner.testId],
      )) as [{ moved: number }];
      // One is by the service's clock, the other by that of the token.
      const clk = claimsOf(token.token).clk!;
      expect(new Date(ends[0]!).getTime() - (now - clk) * 1_000).toBe(stream.expiresAt.getTime());
    }
  });

  it('keeps tokens that live on working while the signing key is replaced, and no others for longer', async () => {
    const owner = await signedIn();
    const { playback } = service.services;
    const videoId = await readyVideo(service, owner.testId);
    // It was created before the clock of these tests was set.
    await service.rows(`update playback_signing_key set signs_from = service_now() - interval '1 hour'`);
    await playback.signingKeys.reload();
    const { token } = await mint(await keyOf(owner.test, 'TOKENS_LIVE_ON'), videoId);
    const { token: plain } = await mint(await keyOf(owner.test), videoId);
    const { token: live } = await mint(await keyOf(owner.live), await readyVideo(service, owner.liveId));
    const later = async (seconds: number) => {
      await clockAfterNoon(service, seconds);
      await playback.signingKeys.reload();
    };
    try {
      await playback.signingKeys.rotate();
      await later(3_000);
      expect((await exchange(token.token)).title).toBe('A video');
      await expect(exchange(plain.token)).rejects.toMatchObject({ code: 'PLAYBACK_TOKEN_EXPIRED' });
      await expect(exchange(live.token)).rejects.toMatchObject({ code: 'INVALID_PLAYBACK_TOKEN' });
      // The replaced key is no longer published.
      expect(playback.signingKeys.publicKeys()).toHaveLength(1);
      await later(4_000);
      await expect(exchange(token.token)).rejects.toMatchObject({ code: 'PLAYBACK_TOKEN_EXPIRED' });
    } finally {
      await later(0);
    }
  });

  it('past midnight gives each key its whole quota again, and its events can be written again', async () => {
    const owner = await signedIn();
    const key = await keyOf(owner.test, 'QUOTA_NEARLY_USED');
    const videoId = await readyVideo(service, owner.testId);
    const useUp = async () => {
      await mint(key, videoId);
      await expect(mint(key, videoId)).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
    };
    await useUp();
    // It is after noon.
    await move(owner, 3_600);
    await expect(mint(key, videoId)).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
    await move(owner, DAY / 2);
    expect((await mint(key, videoId)).quota.remaining).toBe(999);
    await service.rows('update api_key set used = daily_limit - 1 where account_id = $1', [owner.testId]);
    await useUp();
    const types = await typesOf(owner.testId);
    expect(types.filter((type) => type === 'quota.reached')).toHaveLength(2);
    // What was used before is kept as an earlier day.
    const days = await service.rows<{ used: number }>('select used from api_key_day where account_id = $1', [
      owner.testId,
    ]);
    expect(days).toEqual([{ used: 1_000 }]);
  });

  it('brings the next attempt of a webhook, and after three days of failures the end of its endpoint', async () => {
    const owner = await signedIn();
    const server = await endpoint(owner, 500);
    await keyOf(owner.test);
    deliver();
    await server.until(1);
    for (const [attempts, seconds] of [
      [2, 6],
      [3, 330],
      [4, 1_980],
      [5, 7_920],
    ] as const) {
      // The attempt before must be recorded, or it would set a later time.
      await attempted(owner, attempts - 1);
      await move(owner, seconds);
      await server.until(attempts);
    }
    await attempted(owner, 5);
    await move(owner, 3 * DAY);
    await server.until(6);
    const endpoints = async () => (await owner.test.data(ENDPOINTS))['webhookEndpoints'];
    await expect.poll(endpoints).toMatchObject([{ disabledReason: 'FAILING' }]);
    expect(new Set(server.ids).size).toBe(1);
    const notices = await service.rows('select kind from notice where account_id = $1', [owner.testId]);
    expect(notices).toEqual([{ kind: 'webhook.disabled' }]);
  });

  it('brings events that are late on purpose, and ends an old secret', async () => {
    const owner = await signedIn();
    const server = await endpoint(owner, 204, 'LATE');
    await keyOf(owner.test);
    deliver();
    const postponed = async () =>
      service.rows(`select from webhook_delivery where account_id = $1 and next_attempt_at > created_at`, [
        owner.testId,
      ]);
    await expect.poll(postponed).toHaveLength(1);
    const [{ id }] = (await service.rows<{ id: string }>('select id from webhook_endpoint where account_id = $1', [
      owner.testId,
    ])) as [{ id: string }];
    await owner.test.data(`mutation { rotateWebhookSecret(id: "${id}") { secret } }`);
    await move(owner, 61);
    await server.until(1);
    expect(server.received[0]!.headers['webhook-signature']!.toString().split(' ')).toHaveLength(2);
    await move(owner, DAY);
    expect((await owner.test.data(ENDPOINTS))['webhookEndpoints']).toMatchObject([{ previousSecretEndsAt: null }]);
  });

  it('makes webhooks due at once that wait, in their order, and no earlier: operators see how late they are', async () => {
    const owner = await signedIn();
    await endpoint(owner, 204);
    for (let n = 0; n < 3; n += 1) await keyOf(owner.test);
    await service.rows(
      `update webhook_delivery set next_attempt_at = service_now() + number * interval '1 minute' where account_id = $1`,
      [owner.testId],
    );
    const before = (await service.rows<{ now: Date }>('select service_now() as now'))[0]!.now;
    await move(owner, 31 * DAY);
    const due = await service.rows<{ at: Date; is_due: boolean }>(
      `select next_attempt_at as at, next_attempt_at <= service_now() as is_due from webhook_delivery
       where account_id = $1`,
      [owner.testId],
    );
    expect(due).toHaveLength(3);
    for (const { at, is_due: isDue } of due) {
      expect([isDue, at.getTime() >= before.getTime(), at]).toEqual([true, true, due[0]!.at]);
    }
  });

  it('charges the test wallet for each night, and says what it could not pay', async () => {
    const owner = await signedIn();
    await store100Gb(owner);
    const wallet = async () => (await owner.test.data('{ testWallet { available debt } }'))['testWallet'];
    await owner.test.data('mutation { simulatePayment(amount: "12") { id } }');
    await move(owner, DAY);
    // 100 GB are 150 credits a month, so a night is 4.8 to 5.4.
    const paid = 12 - Number((await wallet()).available);
    expect(paid).toBeGreaterThan(4.8);
    expect(paid).toBeLessThan(5.4);
    expect(await typesOf(owner.testId)).toEqual(['topup.credited', 'wallet.runway_short']);
    await move(owner, 3 * DAY);
    const { available, debt } = await wallet();
    expect([available, Number(debt) > 7]).toEqual(['0', true]);
    const events = await eventsOf(service.services.db, owner.testId);
    const arrears = events
      .filter(({ type }) => type === 'storage.arrears')
      .map(({ data }) => data as { day: string; amount: string });
    // The second of these nights is paid in full, or the third would not be the first to be short.
    expect(arrears).toHaveLength(2);
    const [one, two] = arrears as [{ day: string; amount: string }, { day: string; amount: string }];
    expect(Date.parse(two.day) - Date.parse(one.day)).toBe(DAY * 1_000);
    expect(Number(one.amount) + Number(two.amount)).toBeCloseTo(Number(debt), 5);
    // Whatever is paid next repays it first.
    await owner.test.data('mutation { simulatePayment(amount: "100") { id } }');
    expect((await wallet()).debt).toBe('0');
    expect(await service.rows('select from storage_day where account_id = $1', [owner.testId])).toEqual([]);
  });

  it('says at most once a week that the test wallet soon cannot pay, as nights of live mode do', async () => {
    const owner = await signedIn();
    await store100Gb(owner);
    await owner.test.data('mutation { simulatePayment(amount: "35") { id } }');
    for (let night = 0; night < 6; night += 1) await move(owner, DAY);
    const said = (await eventsOf(service.services.db, owner.testId)).filter(
      ({ type }) => type === 'wallet.runway_short',
    );
    // Weeks begin on Mondays, and the first day of all was a Thursday.
    const weeks = said.map(({ data }) => Math.floor((Date.parse((data as { day: string }).day) / 1_000 / DAY + 3) / 7));
    expect(weeks.length).toBeGreaterThan(0);
    expect(weeks).toEqual([...new Set(weeks)]);
    expect(weeks.length).toBeLessThanOrEqual(2);
  });

  it('deletes test videos once they are a week old, and no live one', async () => {
    const owner = await signedIn();
    const madeNow = async (accountId: string) => {
      const id = await readyVideo(service, accountId);
      await service.rows('update video set created_at = service_now() where id = $1', [id]);
      return id;
    };
    const old = await madeNow(owner.testId);
    const live = await madeNow(owner.liveId);
    await move(owner, 6 * DAY);
    const recent = await madeNow(owner.testId);
    const stream = await owner.test.subscribe('subscription { eventAdded(types: [VIDEO_DELETED]) { type } }');
    await move(owner, 2 * DAY);
    expect((await stream.data())['eventAdded']).toEqual({ type: 'VIDEO_DELETED' });
    stream.leave();
    const left = await service.rows<{ id: string }>(
      'select id from video where account_id = any ($1) and deleted_at is null order by id',
      [[owner.testId, owner.liveId]],
    );
    expect(left.map(({ id }) => id)).toEqual([live, recent].toSorted());
    expect(await typesOf(owner.testId)).toEqual(['video.deleted']);
    expect(left.map(({ id }) => id)).not.toContain(old);
  });

  it('adds up when many come at once, and is of one account alone', async () => {
    const [owner, other] = [await signedIn(), await signedIn()];
    await Promise.all(Array.from({ length: 20 }, () => move(owner, 60)));
    const { testClock } = await owner.test.data('{ testClock { now movedSeconds } }');
    expect(testClock.movedSeconds).toBe(1_200);
    const [{ now }] = (await service.rows<{ now: Date }>('select service_now() as now')) as [{ now: Date }];
    expect(Math.round((Date.parse(testClock.now) - now.getTime()) / 60_000)).toBe(20);
    expect((await other.test.data('{ testClock { movedSeconds } }'))['testClock'].movedSeconds).toBe(0);
  });

  it('is refused in live mode, backwards, and by more than 31 days', async () => {
    const owner = await signedIn();
    expect(await owner.live.code(MOVE, { seconds: 60 })).toBe('INVALID_INPUT');
    expect(await owner.live.code('{ testClock { now } }')).toBe('INVALID_INPUT');
    expect(await owner.live.code('{ testWallet { debt } }')).toBe('INVALID_INPUT');
    for (const seconds of [0, -60, 31 * DAY + 1])
      expect(await owner.test.code(MOVE, { seconds })).toBe('INVALID_INPUT');
    // The database refuses it, too.
    const insert = `insert into test_fault (account_id, subject_id, fault, seconds, created_at)
      values ($1, gen_random_uuid(), 'CLOCK_MOVED', $2, service_now())`;
    const query = (accountId: string, seconds: number) =>
      service.services.db.sql.query({ name: '', text: insert }, [accountId, seconds]);
    await expect(query(owner.liveId, 60)).rejects.toMatchObject({ constraint: 'test_fault_account_id_fkey' });
    await expect(query(owner.testId, -60)).rejects.toMatchObject({ constraint: 'test_fault_time' });
    expect(await service.rows('select from test_fault where account_id = $1', [owner.testId])).toEqual([]);
  });
});

async function store100Gb({ testId }: Owner): Promise<void> {
  const size = 100n * 10n ** 9n;
  await service.rows(
    `insert into stored_object (account_id, key, size_bytes, stored_at) values ($1, $2, $3, service_now())`,
    [testId, `test/${testId}`, String(size)],
  );
}

/** Until so many attempts of the owner's only delivery are recorded. */
async function attempted({ testId }: Owner, count: number): Promise<void> {
  const attempts = async () => {
    const [row] = await service.rows<{ attempts: number }>(
      'select attempts from webhook_delivery where account_id = $1',
      [testId],
    );
    return row?.attempts;
  };
  await expect.poll(attempts).toBe(count);
}
