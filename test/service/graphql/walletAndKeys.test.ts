import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { newId } from '../../../src/domain/shared/ids.js';
import type { Client, Json } from '../../support/graphql/client.js';
import { credits } from './parents.js';
import { GraphqlService } from './service.js';

const ALLOCATE = `mutation ($from: Bucket!, $to: Bucket!, $amount: Credits!, $key: String!) {
  allocateCredits(from: $from, to: $to, amount: $amount, idempotencyKey: $key) { master cloud ai creative escrow debt }
}`;
const STATEMENT = `query ($first: Int!, $after: String) { wallet { entries(first: $first, after: $after) {
  pageInfo { hasNextPage endCursor }
  edges { cursor node { id transactionId type account amount balanceAfter createdAt videoId } }
} } }`;

describe('wallet and keys over GraphQL', () => {
  let service: GraphqlService;
  let owner: Client;
  let other: Client;

  beforeAll(async () => {
    service = await GraphqlService.start();
    owner = await service.signedIn('owner@example.com');
    other = await service.signedIn('other@example.com');
  });
  afterAll(() => service.stop());

  it('move credits once per key, and show both sides in the statement', async () => {
    await credits(service, owner.accountId, { masterMicros: 100_000_000n });
    const move = { from: 'MASTER', to: 'CREATIVE', amount: '12.345678', key: 'form-1' };
    const after = { master: '87.654322', cloud: '0', ai: '0', creative: '12.345678', escrow: '0', debt: '0' };
    expect((await owner.data(ALLOCATE, move)).allocateCredits).toEqual(after);
    expect((await owner.data(ALLOCATE, move)).allocateCredits).toEqual(after);
    const logged = service.logLines.length;
    expect(await owner.code(ALLOCATE, { ...move, amount: '13' })).toBe('IDEMPOTENCY_CONFLICT');
    // A mistake of the caller is not logged as an error.
    expect(service.logLines.slice(logged).map((line) => (JSON.parse(line) as { level: number }).level)).not.toContain(
      50,
    );

    const first = (await owner.data(STATEMENT, { first: 2 })).wallet.entries;
    expect(first.pageInfo.hasNextPage).toBe(true);
    expect(first.edges.map((edge: Json) => [edge.node.type, edge.node.account, edge.node.amount])).toEqual([
      ['ALLOCATION', 'CREATIVE', '12.345678'],
      ['ALLOCATION', 'MASTER', '-12.345678'],
    ]);
    expect(new Set(first.edges.map((edge: Json) => edge.node.transactionId)).size).toBe(1);
    const rest = (await owner.data(STATEMENT, { first: 2, after: first.pageInfo.endCursor })).wallet.entries;
    expect(rest.pageInfo.hasNextPage).toBe(false);
    // The company's side of the posting is hidden from the owner.
    expect(rest.edges.map((edge: Json) => [edge.node.account, edge.node.balanceAfter])).toEqual([['MASTER', '100']]);
    expect(await owner.code(STATEMENT, { first: 2, after: 'AAAA' })).toBe('INVALID_PARAMETER');
    expect(await owner.code(STATEMENT, { first: 101 })).toBe('INVALID_INPUT');
  });

  it('report missing credits', async () => {
    const reply = await other.ask(ALLOCATE, { from: 'MASTER', to: 'CLOUD', amount: '0.5', key: 'k' });
    expect(reply.errors[0]!.extensions).toMatchObject({
      code: 'INSUFFICIENT_CREDITS',
      details: { account: 'MASTER', missing: '0.5' },
    });
  });

  it.each(['1.0000001', '1e3', '', 'NaN', '٣', '+1', '99999999999999', 1.5, 1, null])(
    'refuse %j as an amount, in variables and literals',
    async (amount) => {
      const move = { from: 'MASTER', to: 'CLOUD', key: 'k' };
      const inVariable = await owner.ask(ALLOCATE, { ...move, amount });
      expect(inVariable.status).toBe(400);
      expect(['INVALID_INPUT', 'BAD_USER_INPUT']).toContain(inVariable.errors[0]!.extensions['code']);
      const inText = await owner.ask(
        `mutation { allocateCredits(from: MASTER, to: CLOUD, amount: ${JSON.stringify(amount)}, idempotencyKey: "k") { master } }`,
      );
      expect(inText.status).toBe(400);
      expect(inText.errors).not.toEqual([]);
    },
  );

  it('refuse zero, negative amounts, and one bucket twice', async () => {
    const move = { from: 'MASTER', to: 'CLOUD', amount: '1', key: 'k' };
    expect(await owner.code(ALLOCATE, { ...move, amount: '0' })).toBe('INVALID_INPUT');
    expect(await owner.code(ALLOCATE, { ...move, amount: '-1' })).toBe('INVALID_INPUT');
    expect(await owner.code(ALLOCATE, { ...move, to: 'MASTER' })).toBe('INVALID_INPUT');
    expect(await owner.code(ALLOCATE, { ...move, key: '' })).toBe('INVALID_INPUT');
  });

  it('are exact beyond 2^53 micro-credits', async () => {
    const rich = await service.signedIn('rich@example.com');
    await credits(service, rich.accountId, { masterMicros: 2n ** 53n + 1n });
    expect(await rich.data('{ wallet { master } }')).toEqual({ wallet: { master: '9007199254.740993' } });
    const move = { from: 'MASTER', to: 'AI', amount: '9007199254.740993', key: 'k' };
    expect((await rich.data(ALLOCATE, move)).allocateCredits).toMatchObject({ master: '0', ai: '9007199254.740993' });
  });

  it('show a key once, rename and revoke it, and hide it from other accounts', async () => {
    const { createApiKey } = await owner.data(
      'mutation { createApiKey(name: "Website") { key apiKey { id name prefix last4 dailyQuota usedToday revokedAt } } }',
    );
    const { key, apiKey } = createApiKey;
    expect(key).toMatch(/^dk_live_[0-9A-Za-z]{49}$/);
    expect(apiKey).toMatchObject({ name: 'Website', dailyQuota: 1000, usedToday: 0, revokedAt: null });
    expect([key.slice(0, 12), key.slice(-4)]).toEqual([apiKey.prefix, apiKey.last4]);

    const rename = 'mutation ($id: ID!) { renameApiKey(id: $id, name: "Shop") { name } }';
    const revoke = 'mutation ($id: ID!) { revokeApiKey(id: $id) { revokedAt } }';
    expect(await other.code(rename, { id: apiKey.id })).toBe('API_KEY_NOT_FOUND');
    expect(await other.code(revoke, { id: apiKey.id })).toBe('API_KEY_NOT_FOUND');
    expect(await owner.code(revoke, { id: newId() })).toBe('API_KEY_NOT_FOUND');
    expect(await other.data('{ apiKeys { id } }')).toEqual({ apiKeys: [] });

    expect(await owner.data(rename, { id: apiKey.id })).toEqual({ renameApiKey: { name: 'Shop' } });
    const { revokeApiKey } = await owner.data(revoke, { id: apiKey.id });
    expect(Date.parse(revokeApiKey.revokedAt)).not.toBeNaN();
    const list = await owner.ask('{ apiKeys { name revokedAt } }');
    expect(list.data).toEqual({ apiKeys: [{ name: 'Shop', revokedAt: revokeApiKey.revokedAt }] });
    expect(service.logLines.join('')).not.toContain(key);
  });
});
