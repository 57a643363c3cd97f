import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { buildGraphqlSchema } from '../../../src/api/graphql/schema.js';
import { OWNER_VIEW_FIELDS } from '../../../src/api/graphql/ownerViewFields.js';
import { newId, videoIdOf } from '../../../src/domain/shared/ids.js';
import { notifyWallet } from '../../../src/domain/shared/liveNotice.js';
import { tablesOfAccounts } from '../../support/accounts.js';
import type { Client } from '../../support/graphql/client.js';
import { credits, readyVideo } from './parents.js';
import { type RootField, rootFields } from './rootFields.js';
import { GraphqlService } from './service.js';

const BEGIN = `mutation ($account: ID!, $reason: String = "asked for help") {
  viewAsOwner(accountId: $account, reason: $reason) { id staffEmail secondsLeft endsAt isOver }
}`;
const END = 'mutation { endOwnerView }';
const WHO =
  '{ viewer { id email role mode account { id } sessions { id } view { id staffEmail secondsLeft isOver } } }';
const AUDIT = `query ($account: ID) { auditLog(accountId: $account, action: "account") {
  edges { node { action actorEmail reason } }
} }`;

const schema = buildGraphqlSchema();
const mutations = rootFields(schema.getMutationType()!);
const queries = rootFields(schema.getQueryType()!);
const subscriptions = rootFields(schema.getSubscriptionType()!);
const nameOf = ({ name }: RootField): string => name.split('.')[1]!;

describe('a view of an account as its owner sees it', () => {
  let service: GraphqlService;
  let staff: Client;
  let colleague: Client;
  let owner: Client;
  let video: string;

  beforeAll(async () => {
    service = await GraphqlService.start({ streams: { heartbeatMs: 100, pauseMs: 0 } });
    staff = await service.signedIn('staff@example.com', 'support');
    colleague = await service.signedIn('colleague@example.com', 'support');
    owner = await service.signedIn('owner@example.com');
    await credits(service, owner.accountId, { masterMicros: 7_000_000n });
    video = await readyVideo(service, owner.accountId);
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    await service.rows('update staff_view set ended_at = service_now() where ended_at is null');
  });

  async function begin(by = staff): Promise<string> {
    return (await by.data(BEGIN, { account: owner.accountId })).viewAsOwner.id;
  }

  it('begins with a reason, for active staff with a second factor, and never of staff', async () => {
    const of = (account: string, reason?: string) => ({ account, ...(reason === undefined ? {} : { reason }) });
    expect(await owner.code(BEGIN, of(staff.accountId))).toBe('FORBIDDEN');
    expect(await staff.code(BEGIN, of(staff.accountId))).toBe('FORBIDDEN');
    expect(await staff.code(BEGIN, of(colleague.accountId))).toBe('FORBIDDEN');
    expect(await staff.code(BEGIN, of(newId()))).toBe('ACCOUNT_NOT_FOUND');
    expect(await staff.code(BEGIN, of('x'))).toBe('ACCOUNT_NOT_FOUND');
    expect(await staff.code(BEGIN, of(owner.accountId, ' '))).toBe('INVALID_INPUT');
    expect(await staff.code(BEGIN, of(owner.accountId, 'x'.repeat(1001)))).toBe('INVALID_INPUT');
    await service.rows('update auth.session set "twoFactorPassed" = false where "userId" = $1', [colleague.accountId]);
    expect(await colleague.code(BEGIN, of(owner.accountId))).toBe('TWO_FACTOR_REQUIRED');
    await service.rows('update auth.session set "twoFactorPassed" = true where "userId" = $1', [colleague.accountId]);
    expect(await owner.code(END)).toBe('INVALID_STATE');
    expect(await service.rows('select 1 from staff_view')).toEqual([]);
  });

  it('gives the session the identity of the owner for 30 minutes, and leaves both in the audit trail', async () => {
    const { viewAsOwner } = await staff.data(BEGIN, { account: owner.accountId.toUpperCase(), reason: 'ticket 17' });
    expect(viewAsOwner).toMatchObject({ staffEmail: 'staff@example.com', isOver: false });
    expect(viewAsOwner.secondsLeft).toBeGreaterThan(1_700);
    expect(viewAsOwner.secondsLeft).toBeLessThanOrEqual(1_800);
    const { viewer } = await staff.data(WHO);
    expect(viewer).toMatchObject({
      id: owner.accountId,
      email: 'owner@example.com',
      role: 'OWNER',
      mode: 'LIVE',
      account: { id: owner.accountId },
      view: { id: viewAsOwner.id, staffEmail: 'staff@example.com', isOver: false },
    });
    expect(await staff.data('{ wallet { master } videos { totalCount } }')).toEqual({
      wallet: { master: '7' },
      videos: { totalCount: 1 },
    });
    // Neither the owner nor a colleague notices it.
    expect((await owner.data(WHO)).viewer.view).toBeNull();
    expect((await colleague.data(WHO)).viewer).toMatchObject({ id: colleague.accountId, role: 'SUPPORT', view: null });

    expect(await staff.data(END)).toEqual({ endOwnerView: true });
    expect((await staff.data(WHO)).viewer).toMatchObject({ id: staff.accountId, role: 'SUPPORT', view: null });
    const { auditLog } = await staff.data(AUDIT, { account: owner.accountId });
    expect(auditLog.edges.slice(0, 2).map(({ node }: { node: unknown }) => node)).toEqual([
      { action: 'account.end_view', actorEmail: 'staff@example.com', reason: 'ended' },
      { action: 'account.view', actorEmail: 'staff@example.com', reason: 'ticket 17' },
    ]);
  });

  it('refuses every mutation of the schema but its own end, also those of staff', async () => {
    await begin();
    expect(mutations.length).toBeGreaterThan(50);
    for (const field of mutations) {
      if (nameOf(field) === 'endOwnerView') continue;
      expect(`${field.name} ${await staff.code(field.operation)}`).toBe(`${field.name} VIEW_READ_ONLY`);
    }
    // Not by way of test mode either, which the first request would open.
    expect(await staff.inTestMode.code('{ videos { totalCount } }')).toBe('VIEW_READ_ONLY');
    expect(await service.rows('select 1 from test_account where live_account_id = $1', [owner.accountId])).toEqual([]);
  });

  it('answers the queries that are listed, and no others', async () => {
    await begin();
    const answered = queries.filter((field) => OWNER_VIEW_FIELDS.has(nameOf(field)));
    for (const field of queries.filter(({ access }) => access !== 'public')) {
      const reply = await staff.ask(field.operation);
      const code = reply.errors[0]?.extensions['code'] ?? '';
      if (answered.includes(field)) expect(`${field.name} ${code}`).not.toMatch(/FORBIDDEN|UNAUTHENTICATED|VIEW/);
      else expect(`${field.name} ${code}`).toBe(`${field.name} FORBIDDEN`);
    }
    const names = [...queries, ...subscriptions].map(nameOf);
    expect([...OWNER_VIEW_FIELDS].filter((name) => !names.includes(name))).toEqual([]);
  });

  it('changes no row of the account on any page', async () => {
    await begin();
    const before = await rowsOfOwner();
    for (const field of queries) await staff.ask(field.operation);
    await staff.data(WHO);
    await staff.data('query ($id: ID!) { video(id: $id) { id title renditions { quality } } }', {
      id: videoIdOf(video),
    });
    expect(await rowsOfOwner()).toEqual(before);
  });

  it('shows no secret: no keys, no secrets of webhooks, no checkout, no sessions, no access tokens', async () => {
    const { createApiKey } = await owner.data('mutation { createApiKey(name: "a") { key } }');
    const { createAccessToken } = await owner.data(
      'mutation { createAccessToken(name: "t", scopes: [READ]) { token } }',
    );
    const { createWebhookEndpoint } = await owner.data(
      'mutation { createWebhookEndpoint(url: "http://127.0.0.1:9/") { secret } }',
    );
    const { createTopUp } = await owner.data(
      'mutation ($key: String!) { createTopUp(provider: RAZORPAY, amount: "100", idempotencyKey: $key) { id checkout { url } } }',
      { key: newId() },
    );
    expect(createTopUp.checkout).not.toBeNull();
    await begin();
    const { text } = await staff.ask(`{
      viewer { sessions { id } }
      apiKeys { name prefix last4 }
      webhookEndpoints { url }
      topUps { edges { node { id checkout { url } } } }
      topUp(id: "${createTopUp.id}") { id checkout { url } }
      events { edges { node { type payload } } }
    }`);
    for (const secret of [
      createApiKey.key,
      createAccessToken.token,
      createWebhookEndpoint.secret,
      createTopUp.checkout.url,
    ]) {
      expect(text).not.toContain(secret);
    }
    expect(JSON.parse(text).data).toMatchObject({
      viewer: { sessions: [] },
      apiKeys: [{ name: 'a' }],
      topUp: { id: createTopUp.id, checkout: null },
      topUps: { edges: [{ node: { checkout: null } }] },
    });
    expect(await staff.code('{ accessTokens { id } }')).toBe('FORBIDDEN');
  });

  it('ends by itself: then its session can do nothing but go back', async () => {
    const id = await begin();
    await runOut(id);
    expect((await staff.data(WHO)).viewer).toMatchObject({ role: 'OWNER', view: { id, secondsLeft: 0, isOver: true } });
    for (const field of [...queries, ...mutations]) {
      if (field.access === 'public' || nameOf(field) === 'endOwnerView') continue;
      expect(`${field.name} ${await staff.code(field.operation)}`).toBe(`${field.name} VIEW_ENDED`);
    }
    // No root field leads there but `viewer`, which says whose page it was.
    expect(await staff.code('{ viewer { account { allowedDomains } } }')).toBe('VIEW_ENDED');
    expect(await staff.data(END)).toEqual({ endOwnerView: true });
    expect((await staff.data(WHO)).viewer).toMatchObject({ role: 'SUPPORT', view: null });
    const { auditLog } = await staff.data(AUDIT, { account: owner.accountId });
    expect(auditLog.edges[0].node).toMatchObject({ action: 'account.end_view', reason: 'it was over' });
  });

  it.each([
    ['is suspended', `update account set suspended_at = now(), suspended_reason = 'x' where id = $1`],
    ['loses the second factor', 'update auth.session set "twoFactorPassed" = false where "userId" = $1'],
  ])('is over when the member of staff %s', async (_, change) => {
    await begin(colleague);
    await service.rows(change, [colleague.accountId]);
    expect(await colleague.code('{ wallet { master } }')).toBe('VIEW_ENDED');
    expect((await colleague.data(WHO)).viewer.view.isOver).toBe(true);
    expect(await colleague.data(END)).toEqual({ endOwnerView: true });
    await service.rows('update account set suspended_at = null, suspended_reason = null where id = $1', [
      colleague.accountId,
    ]);
    await service.rows('update auth.session set "twoFactorPassed" = true where "userId" = $1', [colleague.accountId]);
  });

  it('is over when the account becomes one of staff, or is gone', async () => {
    const other = await service.signedIn('other@example.com');
    await staff.data(BEGIN, { account: other.accountId });
    await service.rows(`update account set role = 'support' where id = $1`, [other.accountId]);
    expect(await staff.code('{ wallet { master } }')).toBe('VIEW_ENDED');
    await service.rows('delete from auth."user" where id = $1', [other.accountId]);
    expect(await staff.code('{ wallet { master } }')).toBe('VIEW_ENDED');
    expect((await staff.data(WHO)).viewer).toMatchObject({ role: 'OWNER', view: { isOver: true } });
    expect(await staff.data(END)).toEqual({ endOwnerView: true });
  });

  it('refuses pages that were loaded under another identity', async () => {
    const outside = staff.loadedIn('none');
    expect((await outside.data(WHO)).viewer.role).toBe('SUPPORT');
    const inside = staff.loadedIn(await begin());
    for (const text of [WHO, '{ wallet { master } }', END, 'mutation { createApiKey(name: "mine") { key } }']) {
      expect(await outside.code(text)).toBe('VIEW_CHANGED');
      expect(await staff.loadedIn(newId()).code(text)).toBe('VIEW_CHANGED');
    }
    expect(await inside.data('{ wallet { master } }')).toEqual({ wallet: { master: '7' } });
    await inside.data(END);
    // A second later, this button would have made a key in the account of the member of staff.
    expect(await inside.code('mutation { createApiKey(name: "mine") { key } }')).toBe('VIEW_CHANGED');
    expect((await staff.data('{ apiKeys { id } }')).apiKeys).toEqual([]);
    expect(await owner.loadedIn('none').data('{ wallet { master } }')).toEqual({ wallet: { master: '7' } });
  });

  it('leaves name and sign-in of the member of staff as they are', async () => {
    const rename = async (headers: Record<string, string> = {}) => {
      const reply = await fetch(`${service.url}/api/auth/update-user`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: service.url, cookie: staff.cookie, ...headers },
        body: JSON.stringify({ name: 'Renamed' }),
      });
      return [reply.status, await reply.json()];
    };
    const id = await begin();
    expect(await rename()).toMatchObject([403, { code: 'VIEW_READ_ONLY' }]);
    expect(await rename({ 'x-dhara-view': id })).toMatchObject([403, { code: 'VIEW_READ_ONLY' }]);
    expect(await rename({ 'x-dhara-view': 'none' })).toMatchObject([409, { code: 'VIEW_CHANGED' }]);
    await staff.data(END);
    // The settings of a page that still shows the owner.
    expect(await rename({ 'x-dhara-view': id })).toMatchObject([409, { code: 'VIEW_CHANGED' }]);
    expect((await staff.data('{ viewer { name } }')).viewer.name).toBe('Somebody');
    expect((await rename({ 'x-dhara-view': 'none' }))[0]).toBe(200);
    expect((await staff.data('{ viewer { name } }')).viewer.name).toBe('Renamed');
  });

  it('is one per session, and no part of an access token', async () => {
    const tokens = await Promise.all(Array.from({ length: 8 }, () => staff.ask(BEGIN, { account: owner.accountId })));
    expect(tokens.filter(({ errors }) => errors.length === 0)).toHaveLength(1);
    expect(await service.rows('select 1 from staff_view where ended_at is null')).toHaveLength(1);
    expect(await staff.code(BEGIN, { account: owner.accountId })).toBe('VIEW_READ_ONLY');
    await staff.data(END);
    const { createAccessToken } = await staff.data(
      'mutation { createAccessToken(name: "t", scopes: [READ]) { token } }',
    );
    await begin();
    const reply = await staff.send(JSON.stringify({ query: WHO }), {
      headers: { authorization: `Bearer ${createAccessToken.token}`, cookie: '' },
    });
    expect(reply.data!['viewer']).toMatchObject({ id: staff.accountId, view: null });
  });

  it('ends live streams of the other identity', async () => {
    const own = await staff.subscribe('subscription { walletChanged { master } }');
    expect(await own.data()).toMatchObject({ walletChanged: { master: '0' } });
    await begin();
    const seen = await staff.subscribe('subscription { walletChanged { master } }');
    expect(await seen.data()).toMatchObject({ walletChanged: { master: '7' } });
    await walletChanged(staff.accountId);
    expect(await own.next()).toBe('lost');
    await staff.data(END);
    await walletChanged(owner.accountId);
    expect(await seen.next()).toBe('lost');
  });

  it('shows nothing more in live streams once it is over', async () => {
    const id = await begin();
    const seen = await staff.subscribe('subscription { walletChanged { master } }');
    expect(await seen.data()).toMatchObject({ walletChanged: { master: '7' } });
    await runOut(id);
    await walletChanged(owner.accountId);
    const refused = await seen.next();
    expect(refused).toMatchObject({ errors: [{ extensions: { code: 'VIEW_ENDED' } }] });
    expect(JSON.stringify(refused)).not.toContain('"7"');
    seen.leave();
  });

  /** Makes the time of a view end now. */
  async function runOut(id: string): Promise<void> {
    await service.rows(
      `update staff_view set started_at = now() - interval '1 hour', ends_at = now() - interval '1 second' where id = $1`,
      [id],
    );
  }

  async function walletChanged(accountId: string): Promise<void> {
    await service.rows(`select ${notifyWallet('$1::uuid')}`, [accountId]);
  }

  /** Everything that belongs to the owner, as text. */
  async function rowsOfOwner(): Promise<Record<string, string>> {
    const tables = await tablesOfAccounts(service.services.db.sql);
    const found: Record<string, string> = {};
    for (const table of [...tables, 'auth.session', 'ledger_account']) {
      const column = { 'auth.session': '"userId"', ledger_account: 'owner_id' }[table] ?? 'account_id';
      const [row] = await service.rows<{ text: string }>(
        `select coalesce(string_agg(t::text, e'\\n' order by t::text), '') as text from ${table} t where ${column} = $1`,
        [owner.accountId],
      );
      found[table] = row!.text;
    }
    return found;
  }
});
