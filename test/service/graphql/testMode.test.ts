import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { buildGraphqlSchema } from '../../../src/api/graphql/schema.js';
import { TEST_MODE_FIELDS } from '../../../src/api/graphql/testModeFields.js';
import { videoIdOf } from '../../../src/domain/shared/ids.js';
import { exchange } from '../../support/analytics/watching.js';
import type { Client } from '../../support/graphql/client.js';
import { readyVideo } from './parents.js';
import { rootFields } from './rootFields.js';
import { GraphqlService } from './service.js';

const schema = buildGraphqlSchema();
const fields = [schema.getQueryType(), schema.getMutationType()].flatMap((type) => rootFields(type!));
const subscriptions = rootFields(schema.getSubscriptionType()!);
const VIDEOS = '{ videos { totalCount edges { node { id } } } }';
const CREATE_KEY = 'mutation { createApiKey(name: "a") { key apiKey { id } } }';

describe('test mode over GraphQL', () => {
  let service: GraphqlService;
  let owner: Client;
  let testAccountId: string;

  beforeAll(async () => {
    service = await GraphqlService.start();
    [owner, testAccountId] = await signedIn('owner@example.com');
  });
  afterAll(() => service.stop());

  /** An owner, and the id of the test account. */
  async function signedIn(email: string): Promise<[Client, string]> {
    const client = await service.signedIn(email);
    return [client, (await client.inTestMode.data('{ viewer { account { id } } }')).viewer.account.id];
  }

  it('is asked for by a header, and anything else than live and test is refused', async () => {
    const { viewer } = await owner.data('{ viewer { mode account { id } } }');
    expect(viewer).toEqual({ mode: 'LIVE', account: { id: owner.accountId } });
    const { viewer: inTest } = await owner.inTestMode.data('{ viewer { id mode account { id } } }');
    expect(inTest).toEqual({ id: owner.accountId, mode: 'TEST', account: { id: testAccountId } });
    expect(testAccountId).not.toBe(owner.accountId);
    const odd = await owner.send(JSON.stringify({ query: VIDEOS }), { headers: { 'x-dhara-mode': 'Test' } });
    expect(odd.errors[0]!.extensions).toMatchObject({ code: 'INVALID_PARAMETER', status: 400 });
  });

  it('has its own videos and keys', async () => {
    const [keeper, testId] = await signedIn('keeper@example.com');
    const [live, test] = [await readyVideo(service, keeper.accountId), await readyVideo(service, testId)];
    for (const [client, mine, other] of [
      [keeper, live, test],
      [keeper.inTestMode, test, live],
    ] as const) {
      const { videos } = await client.data(VIDEOS);
      expect(videos).toEqual({ totalCount: 1, edges: [{ node: { id: videoIdOf(mine) } }] });
      expect(await client.data('query ($id: ID!) { video(id: $id) { id } }', { id: other })).toEqual({ video: null });
      expect(
        await client.code('mutation ($id: ID!) { createPreviewToken(videoId: $id) { token } }', { id: other }),
      ).toBe('VIDEO_NOT_FOUND');
    }
    const { createApiKey: liveKey } = await keeper.data(CREATE_KEY);
    const { createApiKey: testKey } = await keeper.inTestMode.data(CREATE_KEY);
    expect([liveKey.key.slice(0, 8), testKey.key.slice(0, 8)]).toEqual(['dk_live_', 'dk_test_']);
    expect((await keeper.data('{ apiKeys { id } }')).apiKeys).toEqual([{ id: liveKey.apiKey.id }]);
    expect((await keeper.inTestMode.data('{ apiKeys { id } }')).apiKeys).toEqual([{ id: testKey.apiKey.id }]);
    const revoke = 'mutation ($id: ID!) { revokeApiKey(id: $id) { id } }';
    expect(await keeper.inTestMode.code(revoke, { id: liveKey.apiKey.id })).toBe('API_KEY_NOT_FOUND');
    expect(await keeper.code(revoke, { id: testKey.apiKey.id })).toBe('API_KEY_NOT_FOUND');
  });

  it('counts views of test videos in its own analytics alone', async () => {
    const { views } = service.services;
    for (const accountId of [owner.accountId, testAccountId, testAccountId]) {
      views.exchanged(exchange({ accountId, videoId: await readyVideo(service, accountId) }));
    }
    await views.flush();
    const [{ from, to }] = (await service.rows<{ from: string; to: string }>(
      `select (service_now() - interval '2 days')::date::text as from, service_now()::date::text as to`,
    )) as [{ from: string; to: string }];
    const query = 'query ($input: AnalyticsInput!) { analytics(input: $input) { totals { views } } }';
    const totals = async (client: Client) => (await client.data(query, { input: { from, to } })).analytics.totals.views;
    expect([await totals(owner), await totals(owner.inTestMode)]).toEqual([1, 2]);
  });

  it('shows staff no failed test videos, which fail on purpose', async () => {
    const staff = await service.signedIn('failures@example.com', 'support');
    const [live, test] = [await readyVideo(service, owner.accountId), await readyVideo(service, testAccountId)];
    await service.rows(`update video set status = 'failed', playable_rungs = '{}' where id = any ($1::uuid[])`, [
      [live, test],
    ]);
    const { failedVideos } = await staff.data('{ failedVideos { edges { node { videoId } } } }');
    expect(failedVideos.edges).toEqual([{ node: { videoId: videoIdOf(live) } }]);
    await service.rows('delete from video where id = any ($1::uuid[])', [[live, test]]);
  });

  it('works with an access token, too', async () => {
    const { createAccessToken } = await owner.data(
      'mutation { createAccessToken(name: "ci", scopes: [READ]) { token } }',
    );
    const headers = { cookie: '', authorization: `Bearer ${createAccessToken.token}`, 'x-dhara-mode': 'test' };
    const { data } = await owner.send(JSON.stringify({ query: '{ viewer { mode account { id } } }' }), { headers });
    expect(data).toEqual({ viewer: { mode: 'TEST', account: { id: testAccountId } } });
  });

  it.each(fields.filter(({ name, access }) => access !== 'public' && !isForTestMode(name)))(
    '$name: LIVE_MODE_ONLY',
    async ({ operation }) => {
      expect(await owner.inTestMode.code(operation)).toBe('LIVE_MODE_ONLY');
    },
  );

  it('refuses the live wallet’s stream', async () => {
    const { operation } = subscriptions.find(({ name }) => name === 'Subscription.walletChanged')!;
    const stream = await owner.inTestMode.subscribe(operation);
    expect((await stream.refusal()).errors[0]!.extensions['code']).toBe('LIVE_MODE_ONLY');
  });

  it('lists only fields that exist', () => {
    const known = new Set([...fields, ...subscriptions].map(({ name }) => name.split('.')[1]));
    expect([...TEST_MODE_FIELDS].filter((name) => !known.has(name))).toEqual([]);
  });

  it('is not for staff, whose rules about their own account compare account ids', async () => {
    const staff = await service.signedIn('staff@example.com', 'support');
    const suspend = 'mutation ($id: ID!) { suspendAccount(accountId: $id, reason: "r") { id } }';
    expect(await staff.inTestMode.code(suspend, { id: staff.accountId })).toBe('LIVE_MODE_ONLY');
    expect(await staff.code(suspend, { id: staff.accountId })).toBe('FORBIDDEN');
  });

  it('shows support the owner of a test account, its keys and its videos', async () => {
    const staff = await service.signedIn('finder@example.com', 'support');
    const { createApiKey } = await owner.inTestMode.data(CREATE_KEY);
    const videoId = await readyVideo(service, testAccountId);
    const find = async (search: string) =>
      (await staff.data('query ($search: String!) { accounts(search: $search) { id email } }', { search })).accounts;
    const found = [{ id: owner.accountId, email: 'owner@example.com' }];
    for (const text of ['owner@example.com', testAccountId, createApiKey.key, createApiKey.key.slice(0, 12), videoId]) {
      expect(await find(text as string)).toEqual(found);
    }
  });

  it('suspends both modes at once, also if the test account is opened at the same time', async () => {
    const staff = await service.signedIn('guard@example.com', 'support');
    const suspend = 'mutation ($id: ID!) { suspendAccount(accountId: $id, reason: "r") { suspended: suspendedAt } }';
    expect(await staff.code(suspend, { id: testAccountId })).toBe('LIVE_MODE_ONLY');
    const { rows } = await service.admin.query<{ open: string }>(
      `select open_account(id), id::text as open from (select gen_random_uuid() as id from generate_series(1, 20)) a`,
    );
    await Promise.all(
      rows.flatMap(({ open }) => [
        service.services.accounts.suspend(open, staff.accountId, 'r'),
        service.services.testMode.accountOf(open),
      ]),
    );
    const states = await service.rows<{ both: boolean }>(
      `select l.suspended_at is not null and t.suspended_at is not null as both from test_account m
        join account l on l.id = m.live_account_id join account t on t.id = m.account_id
        where m.live_account_id = any ($1::uuid[])`,
      [rows.map(({ open }) => open)],
    );
    expect(states).toEqual(rows.map(() => ({ both: true })));

    const [refused, testId] = await signedIn('refused@example.com');
    for (const client of [refused, refused.inTestMode]) await client.data(CREATE_KEY);
    await service.services.accounts.suspend(refused.accountId, staff.accountId, 'r');
    expect(await refused.inTestMode.code(CREATE_KEY)).toBe('ACCOUNT_SUSPENDED');
    const keys = 'select suspended from api_key where account_id = any ($1::uuid[])';
    const both = [[refused.accountId, testId]];
    expect(await service.rows(keys, both)).toEqual([{ suspended: true }, { suspended: true }]);
    await service.services.accounts.resume(refused.accountId, staff.accountId, 'r');
    expect(await service.rows(keys, both)).toEqual([{ suspended: false }, { suspended: false }]);
  });
});

function isForTestMode(name: string): boolean {
  return TEST_MODE_FIELDS.has(name.split('.')[1] ?? '');
}
