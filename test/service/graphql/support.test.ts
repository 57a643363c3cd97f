import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { newId, videoIdOf } from '../../../src/domain/shared/ids.js';
import type { Client, Json } from '../../support/graphql/client.js';
import { credits, paperVideo, readyVideo } from './parents.js';
import { GraphqlService } from './service.js';

const SEARCH = 'query ($text: String!) { accounts(search: $text) { id email } }';
const SET_QUOTA = `mutation ($account: ID!, $key: ID!, $quota: Int!, $reason: String = "asked by email") {
  setApiKeyDailyQuota(accountId: $account, apiKeyId: $key, dailyQuota: $quota, reason: $reason) { dailyQuota usedToday }
}`;
const ADJUST = `mutation ($account: ID!, $amount: Credits!, $key: String!, $reason: String = "goodwill") {
  adjustWallet(accountId: $account, amount: $amount, reason: $reason, idempotencyKey: $key) { wallet { master } pending { id } }
}`;
const AUDIT = `query ($account: ID, $action: String, $first: Int = 20, $after: String) {
  auditLog(accountId: $account, action: $action, first: $first, after: $after) {
    pageInfo { hasNextPage endCursor }
    edges { node { accountId accountEmail actorId actorEmail action subject reason details { key value } } }
  }
}`;

describe('support over GraphQL', () => {
  let service: GraphqlService;
  let staff: Client;
  let owner: Client;
  let apiKey: { id: string; text: string };

  beforeAll(async () => {
    service = await GraphqlService.start();
    staff = await service.signedIn('staff@example.com', 'support');
    owner = await service.signedIn('owner@example.com');
    const { createApiKey } = await owner.data('mutation { createApiKey(name: "a") { key apiKey { id } } }');
    apiKey = { id: createApiKey.apiKey.id, text: createApiKey.key };
  });
  afterAll(() => service.stop());

  it('finds an account by email, id, key, video and payment', async () => {
    const video = await paperVideo(service, owner.accountId);
    await service.rows(
      `insert into payment_directory (provider, reference, account_id) values ('razorpay', 'pay_Qd1', $1),
        ('razorpay', 'order_Qd1', $1), ('stripe', 'pi_nobody', '00000000-0000-0000-0000-000000000000')`,
      [owner.accountId],
    );
    const found = { accounts: [{ id: owner.accountId, email: 'owner@example.com' }] };
    for (const text of [
      'OWNER@example.com',
      'owner@',
      owner.accountId,
      apiKey.text,
      apiKey.text.slice(0, 12),
      video,
      videoIdOf(video),
      'pay_Qd1',
      ' order_Qd1 ',
    ]) {
      expect(await staff.data(SEARCH, { text })).toEqual(found);
    }
    for (const text of [
      '',
      ' ',
      'nobody@example.com',
      newId(),
      videoIdOf(newId()),
      'dk_live_zzzz',
      'pay_unknown',
      'pi_nobody',
      '%',
      '\0',
      'x'.repeat(400),
    ]) {
      expect(await staff.data(SEARCH, { text })).toEqual({ accounts: [] });
    }
  });

  it('shows an account with wallet, keys, videos and audit trail', async () => {
    await credits(service, owner.accountId, { masterMicros: 3_000_000n });
    const { account } = await staff.data(
      `query ($id: ID!) { account(id: $id) {
        email emailVerified role suspendedAt wallet { master entries { edges { node { amount } } } }
        apiKeys { id dailyQuota usedToday } videos { totalCount edges { node { title } } } auditLog { edges { node { action } } }
      } }`,
      { id: owner.accountId },
    );
    expect(account).toMatchObject({
      email: 'owner@example.com',
      emailVerified: true,
      role: 'OWNER',
      suspendedAt: null,
      wallet: { master: '3' },
      apiKeys: [{ id: apiKey.id }],
      videos: { totalCount: 1 },
    });
    expect(await staff.data('query ($id: ID!) { account(id: $id) { id } }', { id: newId() })).toEqual({
      account: null,
    });
    expect(await staff.data('{ account(id: "x") { id } }')).toEqual({ account: null });
  });

  it('sets a daily quota that applies to the next token, with an entry in the audit trail', async () => {
    const video = await readyVideo(service, owner.accountId);
    const mint = () => service.services.playback.mint(apiKey.text, video);
    const target = { account: owner.accountId, key: apiKey.id };
    expect((await staff.data(SET_QUOTA, { ...target, quota: 1 })).setApiKeyDailyQuota).toEqual({
      dailyQuota: 1,
      usedToday: 0,
    });
    await mint();
    await expect(mint()).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
    expect((await staff.data(SET_QUOTA, { ...target, quota: 2 })).setApiKeyDailyQuota).toEqual({
      dailyQuota: 2,
      usedToday: 1,
    });
    await mint();
    await expect(mint()).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });

    const { auditLog } = await staff.data(AUDIT, { account: owner.accountId, first: 1 });
    expect(auditLog.edges[0].node).toEqual({
      accountId: owner.accountId,
      accountEmail: 'owner@example.com',
      actorId: staff.accountId,
      actorEmail: 'staff@example.com',
      action: 'api_key.set_daily_quota',
      subject: apiKey.id,
      reason: 'asked by email',
      details: expect.arrayContaining([
        { key: 'from', value: '1' },
        { key: 'to', value: '2' },
      ]),
    });
  });

  it('requires approval for quotas of one’s own key, and of colleagues and invitees', async () => {
    const invited = await service.signedIn('invited@example.com');
    await service.rows(
      `insert into referral (account_id, referrer_id, code, masked_email, joined_at) values ($1, $2, 'C', 'i', now())`,
      [invited.accountId, staff.accountId],
    );
    const colleague = await service.signedIn('colleague@example.com', 'support');
    for (const [person, code] of [
      [staff, 'APPROVAL_REQUIRED'],
      [colleague, 'APPROVAL_REQUIRED'],
      [invited, 'APPROVAL_REQUIRED'],
    ] as const) {
      const { createApiKey } = await person.data('mutation { createApiKey(name: "a") { apiKey { id } } }');
      const key = createApiKey.apiKey.id;
      for (const account of [person.accountId, person.accountId.toUpperCase()]) {
        expect(await staff.code(SET_QUOTA, { account, key, quota: 100_000, reason: 'x' })).toBe(code);
      }
      expect((await person.data('{ apiKeys { dailyQuota } }')).apiKeys).toEqual([{ dailyQuota: 1000 }]);
    }
  });

  it('requires a second factor, passed in the same session', async () => {
    const fresh = await service.signedIn('fresh@example.com', 'support');
    const find = '{ accounts(search: "owner") { id } }';
    expect((await fresh.ask(find)).errors).toEqual([]);
    await service.rows('update auth.session set "twoFactorPassed" = false where "userId" = $1', [fresh.accountId]);
    const operations = [find, '{ auditLog { edges { node { action } } } }', SET_QUOTA];
    const values = { account: owner.accountId, key: apiKey.id, quota: 5, reason: 'x', text: 'x' };
    for (const operation of operations) expect(await fresh.code(operation, values)).toBe('TWO_FACTOR_REQUIRED');
    await service.rows('update auth.session set "twoFactorPassed" = true where "userId" = $1', [fresh.accountId]);
    await service.rows('update auth."user" set "twoFactorEnabled" = false where id = $1', [fresh.accountId]);
    expect(await fresh.code(find)).toBe('TWO_FACTOR_REQUIRED');
    expect((await fresh.data('{ viewer { twoFactorPassed } }')).viewer.twoFactorPassed).toBe(false);
  });

  it('changes no quota without an audit entry, and neither for a bad reason, quota or key', async () => {
    const before = await trailAndQuota();
    const target = { account: owner.accountId, key: apiKey.id, quota: 5 };
    expect(await staff.code(SET_QUOTA, { ...target, reason: ' ' })).toBe('INVALID_INPUT');
    expect(await staff.code(SET_QUOTA, { ...target, reason: 'x'.repeat(1001) })).toBe('INVALID_INPUT');
    expect(await staff.code(SET_QUOTA, { ...target, quota: -1 })).toBe('INVALID_INPUT');
    expect(await staff.code(SET_QUOTA, { ...target, key: newId() })).toBe('API_KEY_NOT_FOUND');
    expect(await staff.code(SET_QUOTA, { ...target, key: 'x' })).toBe('API_KEY_NOT_FOUND');
    const other = await service.signedIn('other@example.com');
    expect(await staff.code(SET_QUOTA, { ...target, account: other.accountId })).toBe('API_KEY_NOT_FOUND');
    expect(await trailAndQuota()).toEqual(before);

    // If the audit trail cannot be written, the change is rolled back.
    await service.rows('revoke insert on audit_entry from public, ' + (await runtimeRole()));
    expect(await staff.code(SET_QUOTA, target)).toBe('INTERNAL_ERROR');
    await service.rows(`grant insert on audit_entry to ${await runtimeRole()}`);
    expect(await trailAndQuota()).toEqual(before);
  });

  it('suspends and resumes an account with its keys and changes', async () => {
    const change = (name: string, reason: string, account = owner.accountId) =>
      staff.ask(
        `mutation ($id: ID!, $reason: String!) { ${name}(accountId: $id, reason: $reason) { suspendedAt suspendedReason } }`,
        {
          id: account,
          reason,
        },
      );
    const suspended = await change('suspendAccount', 'chargeback');
    expect(suspended.data!['suspendAccount']).toMatchObject({ suspendedReason: 'chargeback' });
    const video = await readyVideo(service, owner.accountId);
    await expect(service.services.playback.mint(apiKey.text, video)).rejects.toMatchObject({
      code: 'ACCOUNT_SUSPENDED',
    });
    expect(await owner.code('mutation { createApiKey(name: "b") { key } }')).toBe('ACCOUNT_SUSPENDED');

    const resumed = await change('resumeAccount', 'paid');
    expect(resumed.data!['resumeAccount']).toEqual({ suspendedAt: null, suspendedReason: null });
    await owner.data('mutation { createApiKey(name: "b") { key } }');
    const { auditLog } = await staff.data(AUDIT, { account: owner.accountId, first: 2 });
    expect(auditLog.edges.map((edge: Json) => [edge.node.action, edge.node.reason])).toEqual([
      ['account.resume', 'paid'],
      ['account.suspend', 'chargeback'],
    ]);
    expect((await change('suspendAccount', '')).errors[0]!.extensions['code']).toBe('INVALID_INPUT');
    expect((await change('suspendAccount', 'x', newId())).errors[0]!.extensions['code']).toBe('ACCOUNT_NOT_FOUND');
    expect((await change('suspendAccount', 'x', staff.accountId)).errors[0]!.extensions['code']).toBe('FORBIDDEN');
  });

  it('adjusts a wallet once per key, with one audit entry, and never one’s own', async () => {
    const customer = await service.signedIn('customer@example.com');
    const account = customer.accountId;
    expect(await staff.data(ADJUST, { account, amount: '5', key: 'k1' })).toEqual({ adjustWallet: booked('5') });
    expect(await staff.data(ADJUST, { account, amount: '5', key: 'k1' })).toEqual({ adjustWallet: booked('5') });
    expect(await staff.data(ADJUST, { account, amount: '-1.5', key: 'k2' })).toEqual({ adjustWallet: booked('3.5') });
    expect(await staff.code(ADJUST, { account, amount: '-100', key: 'k3' })).toBe('INSUFFICIENT_CREDITS');
    expect(await staff.code(ADJUST, { account, amount: '0', key: 'k3' })).toBe('INVALID_INPUT');
    expect(await staff.code(ADJUST, { account, amount: '6', key: 'k1' })).toBe('IDEMPOTENCY_CONFLICT');
    expect(await staff.code(ADJUST, { account: newId(), amount: '6', key: 'k4' })).toBe('ACCOUNT_NOT_FOUND');
    expect(await staff.code(ADJUST, { account: staff.accountId, amount: '6', key: 'k4' })).toBe('FORBIDDEN');
    const { auditLog } = await staff.data(AUDIT, { account });
    expect(auditLog.edges.map((edge: Json) => edge.node.details[0])).toEqual([
      { key: 'amount', value: '-1.5' },
      { key: 'amount', value: '5' },
    ]);
  });

  it('lists the audit trail of all accounts by page, each entry once', async () => {
    const [all] = await service.rows<{ count: string }>('select count(*) from audit_entry');
    const count = all!.count;
    const seen: string[] = [];
    let after: string | null = null;
    do {
      const { auditLog } = await staff.data(AUDIT, { first: 3, after });
      seen.push(...auditLog.edges.map((edge: Json) => JSON.stringify(edge.node)));
      after = auditLog.pageInfo.hasNextPage ? (auditLog.pageInfo.endCursor as string) : null;
    } while (after !== null);
    expect(seen).toHaveLength(Number(count));
    expect(Number(count)).toBeGreaterThan(6);
    expect(await staff.code(AUDIT, { after: 'bm9uZQ' })).toBe('INVALID_PARAMETER');
  });

  it('filters the audit trail by action or family of actions, for one account or all', async () => {
    const actions = async (variables: Record<string, unknown>) => {
      const { auditLog } = await staff.data(AUDIT, { first: 100, ...variables });
      return [...new Set<string>(auditLog.edges.map((edge: Json) => edge.node.action))].sort((a, b) =>
        a.localeCompare(b),
      );
    };
    expect(await actions({ action: 'account' })).toEqual(['account.resume', 'account.suspend']);
    expect(await actions({ action: 'account.resume' })).toEqual(['account.resume']);
    expect(await actions({ action: 'account', account: staff.accountId })).toEqual([]);
    expect(await actions({ action: 'api_key', account: owner.accountId })).toEqual(['api_key.set_daily_quota']);
    // A family is a whole word, not a pattern.
    for (const action of ['acc', 'account.', 'account%', '']) expect(await actions({ action })).toEqual([]);
  });

  async function trailAndQuota(): Promise<unknown> {
    return service.rows(
      'select (select count(*) from audit_entry) as entries, daily_limit from api_key where id = $1',
      [apiKey.id],
    );
  }

  const booked = (master: string) => ({ wallet: { master }, pending: null });

  async function runtimeRole(): Promise<string> {
    return new URL(service.database.runtimeUrl).username;
  }
});
