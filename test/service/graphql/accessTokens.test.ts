import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { buildGraphqlSchema } from '../../../src/api/graphql/schema.js';
import { generateSecret } from '../../../src/domain/accounts/keys/keyFormat.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { Client, type GraphqlReply } from '../../support/graphql/client.js';
import { rootFields } from './rootFields.js';
import { GraphqlService } from './service.js';

const CREATE = `mutation ($name: String!, $scopes: [AccessTokenScope!]!, $days: Int) {
  createAccessToken(name: $name, scopes: $scopes, expiresInDays: $days) {
    token accessToken { id name scopes prefix last4 createdAt expiresAt lastUsedAt }
  }
}`;
const LIST = '{ accessTokens { id name lastUsedAt } }';
const REVOKE = 'mutation ($id: ID!) { revokeAccessToken(id: $id) }';

/** A program: sends a token, and no cookie. */
class Program extends Client {
  constructor(
    url: string,
    private readonly token: string,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(url, '', '', headers);
  }

  override get inTestMode(): Client {
    return new Program(this.url, this.token, { 'x-dhara-mode': 'test' });
  }

  override send(body: string, init: Parameters<Client['send']>[1] = {}): Promise<GraphqlReply> {
    return super.send(body, { ...init, headers: { authorization: `Bearer ${this.token}`, ...init.headers } });
  }
}

let service: GraphqlService;
let owner: Client;
beforeAll(async () => {
  service = await GraphqlService.start();
  owner = await service.signedIn('owner@example.com');
});
afterAll(() => service.stop());

async function create(scopes: string[], client = owner): Promise<{ program: Program; id: string; token: string }> {
  const { createAccessToken } = await client.data(CREATE, { name: 'ci', scopes });
  const { token, accessToken } = createAccessToken as { token: string; accessToken: { id: string } };
  return { program: new Program(service.url, token), id: accessToken.id, token };
}

describe('an access token', () => {
  it('is shown once, stored as a hash, and identified by its first and last characters', async () => {
    const { createAccessToken } = await owner.data(CREATE, { name: 'nightly report', scopes: [], days: 30 });
    const { token, accessToken } = createAccessToken as { token: string; accessToken: Record<string, unknown> };
    expect(token).toMatch(/^dpat_[0-9A-Za-z]{49}$/);
    expect(accessToken).toMatchObject({
      name: 'nightly report',
      scopes: ['READ'],
      prefix: token.slice(0, 12),
      last4: token.slice(-4),
      lastUsedAt: null,
    });
    const lifetimeMs = Date.parse(accessToken['expiresAt'] as string) - Date.parse(accessToken['createdAt'] as string);
    expect(lifetimeMs).toBe(30 * 86_400_000);
    const [row] = await service.rows<{ text: string }>('select t::text as text from access_token t where id = $1', [
      accessToken['id'],
    ]);
    expect(row!.text).not.toContain(token.slice(5, 40));
  });

  it('reads what its owner sees, and records when it was last used', async () => {
    const { program, id } = await create(['READ']);
    const { viewer, wallet } = await program.data('{ viewer { email } wallet { master } }');
    expect(viewer).toEqual({ email: 'owner@example.com' });
    expect(wallet).toEqual({ master: '0' });
    const { accessTokens } = await owner.data(LIST);
    const used = (accessTokens as { id: string; lastUsedAt: string | null }[]).find((one) => one.id === id);
    expect(used?.lastUsedAt).not.toBeNull();
  });

  it('follows its owner’s subscriptions until it is revoked', async () => {
    const { token, id } = await create(['READ']);
    const response = await fetch(`${service.url}/graphql/stream`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ query: 'subscription { walletChanged { master } }' }),
    });
    expect(response.status).toBe(200);
    await owner.data(REVOKE, { id });
    await service.rows('select pg_notify($1, $2)', [
      'dhara_events',
      JSON.stringify({ kind: 'wallet', accountId: owner.accountId }),
    ]);
    expect(await response.text()).toContain('UNAUTHENTICATED');
  });

  it('is refused from the next request on once it is revoked, expired or altered', async () => {
    const { program, id, token } = await create(['READ']);
    expect((await program.data('{ wallet { master } }'))['wallet']).toBeDefined();
    const altered = token.slice(0, -1) + (token.endsWith('A') ? 'B' : 'A');
    for (const wrong of [altered, generateSecret('dpat_').text, generateSecret('dk_live_').text, 'x', `${token}x`]) {
      expect(await new Program(service.url, wrong).code('{ wallet { master } }')).toBe('UNAUTHENTICATED');
    }
    await owner.data(REVOKE, { id });
    await owner.data(REVOKE, { id });
    expect(await program.code('{ wallet { master } }')).toBe('UNAUTHENTICATED');

    const expired = await create(['READ']);
    await service.rows(`update access_token set expires_at = service_now() where id = $1`, [expired.id]);
    expect(await expired.program.code('{ wallet { master } }')).toBe('UNAUTHENTICATED');
    const { accessTokens } = await owner.data(LIST);
    const ids = (accessTokens as { id: string }[]).map((one) => one.id);
    expect(ids).not.toContain(id);
    expect(ids).not.toContain(expired.id);
  });

  it('does not fall back to a session cookie in the same request', async () => {
    const reply = await owner.send(JSON.stringify({ query: '{ wallet { master } }' }), {
      headers: { authorization: 'Bearer dpat_wrong' },
    });
    expect(reply.errors[0]?.extensions['code']).toBe('UNAUTHENTICATED');
  });

  it('stops with its owner’s account', async () => {
    const other = await service.signedIn('suspended@example.com');
    const { program } = await create(['READ', 'MANAGE'], other);
    await service.services.accounts.suspend(other.accountId, owner.accountId, 'a test');
    expect((await program.data('{ wallet { master } }'))['wallet']).toBeDefined();
    expect(await program.code('mutation { removeBrand }')).toBe('ACCOUNT_SUSPENDED');
    expect(await other.code(CREATE, { name: 'x', scopes: [] })).toBe('ACCOUNT_SUSPENDED');
  });

  it('is created only by a signed-in owner, and revokes only itself', async () => {
    const { program, id } = await create(['READ', 'MANAGE', 'MONEY']);
    const another = await create(['READ']);
    expect(await program.code(CREATE, { name: 'child', scopes: [] })).toBe('FORBIDDEN');
    expect(await program.code(REVOKE, { id: another.id })).toBe('FORBIDDEN');
    expect((await program.data(REVOKE, { id }))['revokeAccessToken']).toBe(id);
    expect(await program.code(REVOKE, { id })).toBe('UNAUTHENTICATED');

    const stranger = await service.signedIn('stranger@example.com');
    for (const unknown of [another.id, newId(), 'x']) {
      expect(await stranger.code(REVOKE, { id: unknown })).toBe('ACCESS_TOKEN_NOT_FOUND');
    }
  });

  it('creates API keys in test mode alone, with the scope manage', async () => {
    const createKey = 'mutation { createApiKey(name: "ci", testFault: QUOTA_NEARLY_USED) { key } }';
    const { program } = await create(['MANAGE']);
    expect((await program.inTestMode.data(createKey))['createApiKey'].key).toMatch(/^dk_test_/);
    expect(await program.code('mutation { createApiKey(name: "ci") { key } }')).toBe('FORBIDDEN');
    const reader = await create(['READ']);
    expect(await reader.program.inTestMode.code(createKey)).toBe('FORBIDDEN');
  });

  it('has no access to support, even if its owner is staff', async () => {
    const staff = await service.signedIn('staff@example.com', 'support');
    const { program } = await create(['READ', 'MANAGE', 'MONEY'], staff);
    expect((await staff.ask('{ ledgerHealth { __typename } }')).errors).toEqual([]);
    expect(await program.code('{ ledgerHealth { __typename } }')).toBe('FORBIDDEN');
    expect(await program.code('{ accounts(search: "owner") { id } }')).toBe('FORBIDDEN');
  });

  it('has a bounded name and lifetime, and at most 20 are valid at once', async () => {
    const many = await service.signedIn('many@example.com');
    expect(await many.code(CREATE, { name: '', scopes: [] })).toBe('INVALID_INPUT');
    expect(await many.code(CREATE, { name: 'x'.repeat(101), scopes: [] })).toBe('INVALID_INPUT');
    for (const days of [0, 366, -1])
      expect(await many.code(CREATE, { name: 'x', scopes: [], days })).toBe('INVALID_INPUT');
    const created = await Promise.all(Array.from({ length: 25 }, () => many.ask(CREATE, { name: 'x', scopes: [] })));
    expect(created.filter(({ errors }) => errors.length === 0)).toHaveLength(20);
    const [first] = created.flatMap(({ data }) => (data ? [data['createAccessToken'].accessToken.id as string] : []));
    await many.data(REVOKE, { id: first });
    expect((await many.ask(CREATE, { name: 'x', scopes: [] })).errors).toEqual([]);
  });
});

describe('the scopes of access tokens', () => {
  /** Mutations by the scope that they require; those not listed require a session. */
  const MANAGE = [
    'changeVideoTags',
    'createPreviewToken',
    'createQuote',
    'createWebhookEndpoint',
    'deleteCaptions',
    'deleteVideo',
    'deleteVideoForever',
    'deleteVideos',
    'deleteWebhookEndpoint',
    'emptyBin',
    'endPaymentDispute',
    'moveTestClock',
    'removeBrand',
    'renameApiKey',
    'replayWebhookDeliveries',
    'replayWebhookDelivery',
    'restoreVideo',
    'restoreVideos',
    'revokeApiKey',
    'rotateWebhookSecret',
    'setAllowedDomains',
    'setBrand',
    'setChapters',
    'setNotification',
    'setPoster',
    'setWebhookEndpointEnabled',
    'simulatePayment',
    'simulatePaymentDispute',
    'testWebhookEndpoint',
    'updateCaptions',
    'updateVideo',
    'updateWebhookEndpoint',
    'uploadCaptions',
  ];
  const MONEY = [
    'allocateCredits',
    'cancelProcessing',
    'createTopUp',
    'processVideo',
    'repayDebt',
    'requestRefund',
    'retryVideo',
    'setAutomaticAllocation',
    'setBillingDetails',
    'setLowBalanceWarning',
  ];
  const mutations = rootFields(buildGraphqlSchema().getMutationType()!);

  it('allow each mutation by manage, by money, or not at all', async () => {
    const holders = [
      { scopes: ['READ'], allowed: [] },
      { scopes: ['MANAGE'], allowed: MANAGE },
      { scopes: ['MONEY'], allowed: MONEY },
    ];
    const member = await service.signedIn('member@example.com');
    for (const { scopes, allowed } of holders) {
      const { program } = await create(scopes, member);
      const passed: string[] = [];
      for (const field of mutations) {
        const { errors } = await program.ask(field.operation);
        if (errors[0]?.extensions['code'] !== 'FORBIDDEN') passed.push(field.name.replace('Mutation.', ''));
      }
      expect(passed.toSorted()).toEqual(allowed);
    }
  });
});
