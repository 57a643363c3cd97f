import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { settleReferral } from '../../../src/domain/payments/referrals/settleReferral.js';
import type { Client, Json } from '../../support/graphql/client.js';
import { GraphqlService } from './service.js';

const REFERRALS = `query ($first: Int = 20, $after: String) { referrals {
  code link referrerBonus inviteeBonus windowHours
  totals { invited pending granted clawedBack earned }
  invitees(first: $first, after: $after) {
    pageInfo { hasNextPage endCursor }
    edges { node { id status maskedEmail joinedAt bonus windowEndsAt } }
  }
} }`;
const CHECK = 'query ($code: String!) { referralCode(code: $code) { valid } }';

describe('referrals over GraphQL', () => {
  let service: GraphqlService;
  let referrer: Client;
  let other: Client;
  let code: string;

  beforeAll(async () => {
    service = await GraphqlService.start();
    referrer = await service.signedIn('referrer@example.com');
    other = await service.signedIn('other@example.com');
    code = (await referrer.data(REFERRALS))['referrals'].code;
  });
  afterAll(() => service.stop());

  it('show the owner’s code, its link and its bonuses', async () => {
    const { referrals } = await referrer.data(REFERRALS);
    expect(referrals).toEqual({
      code: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{8}$/),
      link: `${service.url}/sign-up?ref=${code}`,
      referrerBonus: '5',
      inviteeBonus: '2',
      windowHours: 48,
      totals: { invited: 0, pending: 0, granted: 0, clawedBack: 0, earned: '0' },
      invitees: { pageInfo: { hasNextPage: false, endCursor: null }, edges: [] },
    });
  });

  it('show invitees to the referrer only', async () => {
    const invitees = [await invite('ada@example.com'), await invite('grace@example.org')];
    await topUp(invitees[0]!);
    await service.services.referrals.deliver();

    const page = (await referrer.data(REFERRALS, { first: 1 }))['referrals'].invitees;
    expect(page.pageInfo.hasNextPage).toBe(true);
    const rest = (await referrer.data(REFERRALS, { after: page.pageInfo.endCursor }))['referrals'];
    expect([...page.edges, ...rest.invitees.edges].map((edge: Json) => edge.node)).toEqual([
      {
        id: invitees[1],
        status: 'PENDING',
        maskedEmail: 'g•••@example.org',
        joinedAt: expect.any(String),
        bonus: '0',
        windowEndsAt: null,
      },
      {
        id: invitees[0],
        status: 'GRANTED',
        maskedEmail: 'a•••@example.com',
        joinedAt: expect.any(String),
        bonus: '5',
        windowEndsAt: '2026-03-03T10:00:00.000Z',
      },
    ]);
    expect(rest.totals).toEqual({ invited: 2, pending: 1, granted: 1, clawedBack: 0, earned: '5' });
    expect((await referrer.data('{ wallet { master } }'))['wallet'].master).toBe('5');
    expect((await other.data(REFERRALS))['referrals']).toMatchObject({
      totals: { invited: 0, earned: '0' },
      invitees: { edges: [] },
    });
  });

  it('are refused without a session, for too large pages and for foreign cursors', async () => {
    expect(await service.nobody.code(REFERRALS)).toBe('UNAUTHENTICATED');
    expect(await referrer.code(REFERRALS, { first: 101 })).toBe('INVALID_INPUT');
    expect(await referrer.code(REFERRALS, { after: 'AAAA' })).toBe('INVALID_PARAMETER');
  });

  it('tell anybody whether a code is valid', async () => {
    const isValid = async (text: string) => (await service.nobody.data(CHECK, { code: text }))['referralCode'].valid;
    expect(await isValid(code)).toBe(true);
    expect(await isValid(` ${code.slice(0, 4).toLowerCase()}-${code.slice(4)}`)).toBe(true);
    for (const text of ['', 'ZZZZZZZZ', `${code}0`, 'A'.repeat(10_000), '\0', `${code}\0`]) {
      expect(await isValid(text)).toBe(false);
    }
    await service.rows('update account set suspended_at = now() where id = $1', [referrer.accountId]);
    expect(await isValid(code)).toBe(false);
    await service.rows('update account set suspended_at = null where id = $1', [referrer.accountId]);
  });

  async function invite(email: string): Promise<string> {
    const response = await fetch(`${service.url}/api/auth/sign-up/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: service.url },
      body: JSON.stringify({ name: 'Somebody', email, password: 'correct horse battery', referralCode: code }),
    });
    expect(response.status).toBe(200);
    const [user] = await service.rows<{ id: string }>('select id from auth."user" where email = $1', [email]);
    return user!.id;
  }

  async function topUp(accountId: string): Promise<void> {
    await service.services.db.transaction(({ sql }) =>
      settleReferral(sql, {
        accountId,
        topUpId: 'topup',
        provider: 'stripe',
        paymentId: 'pi_1',
        capturedAt: new Date('2026-03-01T10:00:00.000Z'),
        refundedAt: null,
        payerHashes: [],
      }),
    );
  }
});
