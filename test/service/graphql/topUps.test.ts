import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { newId } from '../../../src/domain/shared/ids.js';
import type { PaymentFact } from '../../../src/ports/paymentProvider.js';
import { bodyOf, factsOf } from '../../support/payments.js';
import type { Client, Json } from '../../support/graphql/client.js';
import { GraphqlService } from './service.js';

const TOPUP = `id provider sandbox status currency amount credits creditsPerUnit rateAsOf expiresAt creditedAt
  checkout { method url fields { name value } } refundableAmount
  refunds { amount state } disputes { amount state }`;
const CREATE = `mutation ($provider: PaymentProviderName!, $amount: String!, $key: String!, $path: String) {
  createTopUp(provider: $provider, amount: $amount, idempotencyKey: $key, returnPath: $path) { ${TOPUP} } }`;
const ONE = `query ($id: ID!) { topUp(id: $id) { ${TOPUP} } }`;
const REFUND = `mutation ($id: ID!, $amount: String!, $key: String!) {
  requestRefund(topUpId: $id, amount: $amount, idempotencyKey: $key) { refundableAmount refunds { amount state } } }`;

describe('top-ups over GraphQL', () => {
  let service: GraphqlService;
  let owner: Client;
  let other: Client;
  let staff: Client;

  beforeAll(async () => {
    service = await GraphqlService.start();
    owner = await service.signedIn('owner@example.com');
    other = await service.signedIn('other@example.com');
    staff = await service.signedIn('staff@example.com', 'support');
  });
  afterAll(() => {
    service.database.leaveUnproven('balances are written by hand');
    return service.stop();
  });

  async function paid(client: Client, amount = '100') {
    const { createTopUp } = await client.data(CREATE, { provider: 'RAZORPAY', amount, key: newId() });
    const facts = factsOf(await service.services.topUps.get(client.accountId, createTopUp.id));
    await deliver(facts.captured);
    return { id: createTopUp.id as string, facts };
  }

  async function deliver(...facts: PaymentFact[]) {
    const event = { eventId: newId(), type: facts[0]!.kind, createdAt: new Date() };
    await service.services.paymentInbox.receive('razorpay', event, bodyOf(facts));
    await service.services.paymentInbox.drain();
  }

  it('list the providers, with limits and current rates', async () => {
    const ask = '{ paymentProviders { name currency sandbox minAmount maxAmount creditsPerUnit rateAsOf } }';
    const { paymentProviders } = await owner.data(ask);
    expect(paymentProviders).toEqual([
      {
        name: 'RAZORPAY',
        currency: 'INR',
        sandbox: true,
        minAmount: '1.00',
        maxAmount: '500000.00',
        creditsPerUnit: '1',
        rateAsOf: null,
      },
      {
        name: 'STRIPE',
        currency: 'USD',
        sandbox: true,
        minAmount: '0.50',
        maxAmount: '5000.00',
        creditsPerUnit: '85',
        rateAsOf: expect.any(String),
      },
    ]);
  });

  it('open one checkout per key, and are credited by the webhook', async () => {
    const order = { provider: 'STRIPE', amount: '10.5', key: 'form-1' };
    const { createTopUp } = await owner.data(CREATE, order);
    expect(createTopUp).toMatchObject({ status: 'OPEN', amount: '10.50', credits: '892.5', creditsPerUnit: '85' });
    expect(createTopUp.checkout).toMatchObject({ method: 'GET', url: expect.stringMatching(/^https:/) });
    expect((await owner.data(CREATE, order)).createTopUp).toEqual(createTopUp);
    expect(await owner.code(CREATE, { ...order, amount: '11' })).toBe('IDEMPOTENCY_CONFLICT');

    const { id, facts } = await paid(owner, '100.25');
    const { topUp } = await owner.data(ONE, { id });
    expect(topUp).toMatchObject({ status: 'PAID', checkout: null, credits: '100.25', refundableAmount: '100.25' });
    expect(await owner.data('{ wallet { master } }')).toEqual({ wallet: { master: '100.25' } });

    await deliver(facts.dispute('dp_1', 2_500n, 'open'));
    expect((await owner.data(ONE, { id })).topUp).toMatchObject({
      refundableAmount: '75.25',
      disputes: [{ amount: '25.00', state: 'OPEN' }],
    });
  });

  it.each(['', '1e3', '-100', '100.005', '0', '0.99', '500000.01', ' 100'])(
    'are refused for %j rupees',
    async (amount) => {
      expect(await owner.code(CREATE, { provider: 'RAZORPAY', amount, key: newId() })).toBe('INVALID_INPUT');
    },
  );

  it.each([
    ['RAZORPAY', '1', '0.99', 'The smallest payment that Razorpay accepts is INR 1.00. There is no other minimum.'],
    ['STRIPE', '0.5', '0.49', 'The smallest payment that Stripe accepts is USD 0.50. There is no other minimum.'],
  ])(
    'from %s accept %s, the smallest payment, and the largest, and explain why %s is refused',
    async (provider, least, less, message) => {
      const { createTopUp } = await owner.data(CREATE, { provider, amount: least, key: newId() });
      expect(createTopUp.status).toBe('OPEN');
      const most = provider === 'STRIPE' ? '5000' : '500000';
      const largest = await owner.data(CREATE, { provider, amount: most, key: newId() });
      expect(largest.createTopUp.status).toBe('OPEN');
      const [refusal] = (await owner.ask(CREATE, { provider, amount: less, key: newId() })).errors;
      expect([refusal!.extensions['code'], refusal!.message]).toEqual(['INVALID_INPUT', message]);
    },
  );

  it.each(['https://evil.example', '//evil.example', '/\\evil.example', 'wallet', '/a?b=c'])(
    'refuse %j as a return path',
    async (path) => {
      const order = { provider: 'RAZORPAY', amount: '100', key: newId(), path };
      expect(await owner.code(CREATE, order)).toBe('INVALID_INPUT');
    },
  );

  it('are refunded in part, and never for more than is left', async () => {
    const rich = await service.signedIn('refunds@example.com');
    const { id, facts } = await paid(rich);
    expect(await rich.code(REFUND, { id, amount: '100.01', key: 'a' })).toBe('INVALID_INPUT');
    expect(await rich.code(REFUND, { id, amount: '0', key: 'a' })).toBe('INVALID_INPUT');
    const { requestRefund } = await rich.data(REFUND, { id, amount: '40', key: 'a' });
    expect(requestRefund).toEqual({ refundableAmount: '60.00', refunds: [{ amount: '40.00', state: 'REQUESTED' }] });
    const [refund] = [...service.services.paper.razorpay.refunds.values()].slice(-1);
    await deliver({ ...facts.refund(refund!.refundId, 4_000n, 'processed') });
    expect((await rich.data(ONE, { id })).topUp).toMatchObject({ refunds: [{ amount: '40.00', state: 'PROCESSED' }] });
    expect(await rich.data('{ wallet { master debt } }')).toEqual({ wallet: { master: '60', debt: '0' } });
  });

  it('are listed by page, and not shown to other accounts', async () => {
    const { id } = await paid(other);
    await paid(other, '200');
    const list =
      'query ($after: String) { topUps(first: 1, after: $after) { pageInfo { hasNextPage endCursor } edges { node { amount } } } }';
    const { topUps: first } = await other.data(list);
    expect(first.edges.map((edge: Json) => edge.node.amount)).toEqual(['200.00']);
    const { topUps: second } = await other.data(list, { after: first.pageInfo.endCursor });
    expect(second).toMatchObject({ pageInfo: { hasNextPage: false }, edges: [{ node: { amount: '100.00' } }] });

    for (const client of [owner, staff]) {
      expect(await client.code(ONE, { id })).toBe('NOT_FOUND');
      expect(await client.code(REFUND, { id, amount: '1', key: 'x' })).toBe('NOT_FOUND');
    }
    expect(await owner.code(ONE, { id: 'nonsense' })).toBe('NOT_FOUND');
  });

  it('leave debt after a refund, which is repaid from MASTER', async () => {
    const debtor = await service.signedIn('debtor@example.com');
    const { facts } = await paid(debtor);
    const allocate = `mutation { allocateCredits(from: MASTER, to: CLOUD, amount: "70", idempotencyKey: "a") { master } }`;
    await debtor.data(allocate);
    await service.rows(
      `update ledger_account set balance = case account_no when 2 then 0 else balance end where owner_id = $1`,
      [debtor.accountId],
    );
    await deliver(facts.refund('rfnd_d', 10_000n, 'processed'));
    expect(await debtor.data('{ wallet { master debt } }')).toEqual({ wallet: { master: '0', debt: '-70' } });
    await service.rows('update ledger_account set balance = 5000000 where owner_id = $1 and account_no = 1', [
      debtor.accountId,
    ]);
    const repay = 'mutation { repayDebt(amount: "5", idempotencyKey: "r") { master debt } }';
    expect((await debtor.data(repay)).repayDebt).toEqual({ master: '0', debt: '-65' });
    expect((await debtor.data(repay)).repayDebt).toEqual({ master: '0', debt: '-65' });
  });

  it('give staff the inbox, suspense, and refunds with audit entries', async () => {
    const { id, facts } = await paid(owner, '300');
    await deliver({ ...facts.captured, paymentId: 'pay_second' });
    const { suspenseItems } = await staff.data(
      '{ suspenseItems { edges { node { id paymentId reason credits status } } } }',
    );
    const item = suspenseItems.edges[0].node;
    expect(item).toMatchObject({ paymentId: 'pay_second', reason: 'second payment', credits: '300', status: 'OPEN' });

    const inbox = '{ webhookEvents(status: SUSPENSE) { edges { node { id paymentId outcome } } } }';
    const event = (await staff.data(inbox)).webhookEvents.edges[0].node;
    expect(event).toMatchObject({ paymentId: 'pay_second', outcome: 'in suspense: second payment' });
    const { webhookEvent } = await staff.data('query ($id: ID!) { webhookEvent(id: $id) { body } }', { id: event.id });
    expect(JSON.parse(webhookEvent.body).facts[0].paymentId).toBe('pay_second');
    const replay = 'mutation ($id: ID!) { replayWebhook(id: $id, reason: "looked odd") { status } }';
    expect(await staff.data(replay, { id: event.id })).toEqual({ replayWebhook: { status: 'PENDING' } });

    const refund = `mutation ($account: ID!, $id: ID!) { refundTopUp(accountId: $account, topUpId: $id, amount: "10",
      reason: "asked by email", idempotencyKey: "s1") { accountId refundableAmount refunds { amount state } } }`;
    const { refundTopUp } = await staff.data(refund, { account: owner.accountId, id });
    expect(refundTopUp).toMatchObject({
      refundableAmount: '290.00',
      refunds: [{ amount: '10.00', state: 'REQUESTED' }],
    });

    const resolve = 'mutation ($id: ID!) { resolveSuspenseItem(id: $id, reason: "paid back by hand") { status } }';
    expect(await staff.data(resolve, { id: item.id })).toEqual({ resolveSuspenseItem: { status: 'RESOLVED' } });
    expect(await staff.code(resolve, { id: item.id })).toBe('NOT_FOUND');
    const { auditLog } = await staff.data(
      'query ($id: ID!) { auditLog(accountId: $id) { edges { node { action } } } }',
      {
        id: owner.accountId,
      },
    );
    expect(auditLog.edges.map((edge: Json) => edge.node.action)).toEqual(
      expect.arrayContaining(['payment.replay_webhook', 'payment.resolve_suspense', 'payment.refund']),
    );
    expect((await staff.data('{ topUpsWithoutWebhook { edges { node { id } } } }')).topUpsWithoutWebhook.edges).toEqual(
      [],
    );
  });
});
