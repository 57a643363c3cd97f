import { afterAll, beforeAll, expect, it } from 'vitest';

import type { Client } from '../../support/graphql/client.js';
import { GraphqlService } from './service.js';

const CLOSE = `mutation ($email: String!, $password: String!) {
  closeAccount(email: $email, password: $password) { closedAt eraseAfter } }`;
const VIEWER = '{ viewer { account { suspended closing { eraseAfter } } } }';
const PASSWORD = 'correct horse battery';

let service: GraphqlService;
let owner: Client;

beforeAll(async () => {
  service = await GraphqlService.start();
  owner = await service.signedIn('owner@example.com');
});
afterAll(() => service.stop());

it('an owner closes their account with address and password, signs in again, reads, and reopens it', async () => {
  expect(
    await owner.data(
      '{ closingConsequences { videos storedBytes apiKeys webhookEndpoints jobs refund lapsing debt } }',
    ),
  ).toEqual({
    closingConsequences: {
      videos: 0,
      storedBytes: 0,
      apiKeys: 0,
      webhookEndpoints: 0,
      jobs: 0,
      refund: '0',
      lapsing: '0',
      debt: '0',
    },
  });
  expect(await owner.code('mutation { reopenAccount { id } }')).toBe('INVALID_STATE');
  const wrong = await owner.ask(CLOSE, { email: 'owner@example.com', password: 'wrong' });
  expect(wrong.errors[0]).toMatchObject({ message: 'This password is wrong.', extensions: { code: 'INVALID_INPUT' } });

  const { closeAccount } = await owner.data(CLOSE, { email: 'owner@example.com', password: PASSWORD });
  expect(closeAccount).toEqual({ closedAt: expect.any(String), eraseAfter: expect.any(String) });

  // The session has ended with the account.
  expect(await owner.data(VIEWER)).toEqual({ viewer: null });
  const again = await service.signedIn('owner@example.com');
  expect(await again.data(VIEWER)).toEqual({
    viewer: { account: { suspended: true, closing: { eraseAfter: closeAccount.eraseAfter } } },
  });
  expect(await again.data('{ wallet { master } }')).toEqual({ wallet: { master: '0' } });
  expect(await again.code('mutation { setAllowedDomains(domains: []) { id } }')).toBe('ACCOUNT_SUSPENDED');
  expect(await again.code(CLOSE, { email: 'owner@example.com', password: PASSWORD })).toBe('ACCOUNT_SUSPENDED');

  expect(await again.data('mutation { reopenAccount { suspended closing { eraseAfter } } }')).toEqual({
    reopenAccount: { suspended: false, closing: null },
  });
  expect(await again.data('mutation { setAllowedDomains(domains: []) { suspended } }')).toEqual({
    setAllowedDomains: { suspended: false },
  });
});

it('passwords cannot be guessed through it', async () => {
  const other = await service.signedIn('other@example.com');
  const codes = new Set<string>();
  for (let attempt = 0; attempt < 11; attempt += 1) {
    codes.add(await other.code(CLOSE, { email: 'other@example.com', password: `guess ${attempt}` }));
  }
  expect([...codes]).toEqual(['INVALID_INPUT', 'RATE_LIMIT_EXCEEDED']);
  expect(await other.code(CLOSE, { email: 'other@example.com', password: PASSWORD })).toBe('RATE_LIMIT_EXCEEDED');
});

it('support sees when an account was closed, and cannot open it', async () => {
  const closing = await service.signedIn('closing@example.com');
  const staff = await service.signedIn('staff@example.com', 'support');
  await closing.data(CLOSE, { email: 'closing@example.com', password: PASSWORD });
  const resume = `mutation ($id: ID!) { resumeAccount(accountId: $id, reason: "asked to") { id } }`;
  expect(await staff.code(resume, { id: closing.accountId })).toBe('INVALID_STATE');
  expect(await staff.code(CLOSE, { email: 'staff@example.com', password: PASSWORD })).toBe('FORBIDDEN');
});
