import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { newId, videoIdOf } from '../../../src/domain/shared/ids.js';
import { PastLedger } from '../../support/billing/ledger.js';
import { paidTopUp, refundOf } from '../../support/billing/parents.js';
import type { Client, Json } from '../../support/graphql/client.js';
import { paperVideo } from './parents.js';
import { GraphqlService } from './service.js';

const ENTRIES = `query ($first: Int! = 100, $after: String, $filter: LedgerFilterInput) {
  wallet { entries(first: $first, after: $after, filter: $filter) { pageInfo { hasNextPage endCursor } edges { node {
    id type account amount balanceAfter
    cause {
      __typename
      ... on VideoCause { videoId title attempt }
      ... on TopUpCause { topUpId provider paymentId }
      ... on RefundCause { topUpId provider refundId }
      ... on DisputeCause { topUpId disputeId }
      ... on StorageCause { date isReversal }
      ... on ReferralCause { role isClawBack }
      ... on AdjustmentCause { reason }
      ... on AllocationCause { from to repaysDebt drawnFor drawnForDay }
    }
  } } } }
}`;
const SET_DETAILS = `mutation ($details: BillingDetailsInput!) { setBillingDetails(details: $details) {
  legalName addressLines country stateCode gstin email } }`;
const SET_WARNING = 'mutation ($credits: Credits) { setLowBalanceWarning(credits: $credits) { lowBalanceWarning } }';
const DETAILS = { legalName: 'Shree Vidyalaya', addressLines: ['Fort'], country: 'IN', gstin: '27AAPFU0939F1ZV' };

let service: GraphqlService;
let owner: Client;
let other: Client;
let staff: Client;
let statements: { count: number };

beforeAll(async () => {
  service = await GraphqlService.start();
  statements = service.countStatements();
  owner = await service.signedIn('owner@example.com');
  other = await service.signedIn('other@example.com');
  staff = await service.signedIn('staff@example.com', 'support');
});
afterAll(() => {
  service.database.leaveUnproven('postings of the past are written by hand');
  return service.stop();
});

describe('ledger entries over GraphQL', () => {
  const topUpId = newId();
  const [gone, invitee] = [newId(), newId()];
  let video: string;

  beforeAll(async () => {
    video = await paperVideo(service, owner.accountId, { title: 'कक्षा १०' });
    const ledger = await PastLedger.of(service.admin, owner.accountId);
    const payment = { provider: 'razorpay', payment: 'pay_1' };
    const facts = { reference: topUpId, metadata: payment };
    const minute = (n: number) => new Date(Date.UTC(2026, 0, 5, 10, n));
    await ledger.write([
      {
        type: 'TOPUP',
        at: minute(1),
        deltas: { MASTER: 9_007_199_254_740_993n },
        key: 'topup:razorpay:pay_1',
        ...facts,
      },
      { type: 'ALLOCATION', at: minute(2), deltas: { MASTER: -9n, CREATIVE: 9n }, key: 'allocation:k' },
      {
        type: 'ESCROW_LOCK',
        at: minute(3),
        deltas: { CREATIVE: -3n, ESCROW: 3n },
        key: `escrow:lock:${video}:2`,
        reference: video,
      },
      {
        type: 'ESCROW_LOCK',
        at: minute(4),
        deltas: { CREATIVE: -2n, ESCROW: 2n },
        key: `escrow:lock:${gone}:1`,
        reference: gone,
      },
      {
        type: 'STORAGE',
        at: minute(5),
        deltas: { MASTER: -1n, DEBT: -4n },
        key: 'storage:2026-01-04',
        reference: '2026-01-04',
      },
      {
        type: 'ALLOCATION',
        at: minute(5),
        deltas: { MASTER: -2n, CREATIVE: 2n },
        key: `escrow:draw:${gone}:1`,
        reference: gone,
      },
      {
        type: 'ALLOCATION',
        at: minute(5),
        deltas: { MASTER: -3n, CLOUD: 3n },
        key: 'storage:draw:2026-01-04',
        reference: '2026-01-04',
      },
      { type: 'ALLOCATION', at: minute(6), deltas: { MASTER: -4n, DEBT: 4n }, key: 'debt:repay:k' },
      {
        type: 'REFERRAL_BONUS',
        at: minute(7),
        deltas: { MASTER: 5n },
        key: `referral:${invitee}:referrer`,
        reference: invitee,
      },
      {
        type: 'REFUND',
        at: minute(8),
        deltas: { MASTER: -5n },
        key: `referral:${invitee}:referrer:clawback`,
        reference: invitee,
      },
      { type: 'REFUND', at: minute(9), deltas: { MASTER: -6n }, key: 'refund:razorpay:rfnd_1', ...facts },
      {
        type: 'REFUND',
        at: minute(10),
        deltas: { MASTER: -6n, REFUND_HOLD: 6n },
        key: 'refund-request:r1',
        reference: topUpId,
        metadata: { provider: 'razorpay', request: 'r1' },
      },
      {
        type: 'DISPUTE',
        at: minute(11),
        deltas: { MASTER: -7n, DISPUTE_HOLD: 7n },
        key: 'dispute:razorpay:disp_1:held:1',
        ...facts,
      },
      {
        type: 'ADJUSTMENT',
        at: minute(12),
        deltas: { MASTER: 8n },
        key: 'adjustment:k',
        metadata: { reason: 'Goodwill' },
      },
    ]);
  });

  it('each name their cause', async () => {
    const nodes = await entries(owner);
    const causes = nodes.toReversed().map(({ account, cause }) => [account, cause]);
    const of = (name: string, fields: object) => ({ __typename: name, ...fields });
    const provider = 'razorpay';
    const locked = of('VideoCause', { videoId: videoIdOf(video), title: 'कक्षा १०', attempt: 2 });
    const deleted = of('VideoCause', { videoId: videoIdOf(gone), title: null, attempt: 1 });
    const byOwner = { drawnFor: null, drawnForDay: null };
    const moved = of('AllocationCause', { from: 'MASTER', to: 'CREATIVE', repaysDebt: false, ...byOwner });
    const repaid = of('AllocationCause', { from: 'MASTER', to: 'DEBT', repaysDebt: true, ...byOwner });
    const forJob = { ...moved, drawnFor: videoIdOf(gone) };
    const forStorage = { ...moved, to: 'CLOUD', drawnForDay: '2026-01-04' };
    const stored = of('StorageCause', { date: '2026-01-04', isReversal: false });
    const held = of('RefundCause', { topUpId, provider, refundId: 'r1' });
    const disputed = of('DisputeCause', { topUpId, disputeId: 'disp_1' });
    expect(causes).toEqual([
      ['MASTER', of('TopUpCause', { topUpId, provider, paymentId: 'pay_1' })],
      ['MASTER', moved],
      ['CREATIVE', moved],
      ['CREATIVE', locked],
      ['ESCROW', locked],
      ['CREATIVE', deleted],
      ['ESCROW', deleted],
      ['MASTER', stored],
      ['DEBT', stored],
      ['MASTER', forJob],
      ['CREATIVE', forJob],
      ['MASTER', forStorage],
      ['CLOUD', forStorage],
      ['MASTER', repaid],
      ['DEBT', repaid],
      ['MASTER', of('ReferralCause', { role: 'REFERRER', isClawBack: false })],
      ['MASTER', of('ReferralCause', { role: 'REFERRER', isClawBack: true })],
      ['MASTER', of('RefundCause', { topUpId, provider, refundId: 'rfnd_1' })],
      ['MASTER', held],
      ['REFUND_HOLD', held],
      ['MASTER', disputed],
      ['DISPUTE_HOLD', disputed],
      ['MASTER', of('AdjustmentCause', { reason: 'Goodwill' })],
    ]);
  });

  it('can be filtered by each filter, and by all together', async () => {
    const types = async (filter: object) => (await entries(owner, filter)).map(({ type }) => type);
    expect(await types({ accounts: ['DEBT'] })).toEqual(['ALLOCATION', 'STORAGE']);
    expect(await types({ types: ['DISPUTE'] })).toEqual(['DISPUTE', 'DISPUTE']);
    expect(await types({ videoId: videoIdOf(video) })).toEqual(['ESCROW_LOCK', 'ESCROW_LOCK']);
    expect(await types({ from: '2026-01-05T10:12:00Z' })).toEqual(['ADJUSTMENT']);
    expect(await types({ from: '2026-01-05T10:12:00+00:01' })).toEqual(['ADJUSTMENT', 'DISPUTE', 'DISPUTE']);
    expect(await types({ to: '2026-01-05T10:02:00.000Z' })).toEqual(['TOPUP']);
    const all = { accounts: ['ESCROW'], types: ['ESCROW_LOCK'], videoId: video, from: '2026-01-01T00:00:00Z' };
    expect(await types(all)).toEqual(['ESCROW_LOCK']);
    expect(await types({ ...all, to: '2026-01-02T00:00:00Z' })).toEqual([]);
  });

  it.each([
    { from: '2026-01-05' },
    { from: '2026-01-05T10:00:00' },
    { from: 'yesterday' },
    { from: 5 },
    { to: '2026-13-05T10:00:00Z' },
    { types: ['GIFT'] },
    { accounts: ['CASH'] },
    { videoId: 'vid_0' },
    { from: '2026-02-01T00:00:00Z', to: '2026-01-01T00:00:00Z' },
  ])('are refused for the filter %j', async (filter) => {
    expect((await owner.ask(ENTRIES, { filter })).errors).toHaveLength(1);
  });

  it('read causes with one statement per kind, however many entries there are', async () => {
    // The wallet, its entries, the titles of videos, and the targets of allocations.
    expect(await statementsFor(owner, 100)).toBe(4);
    expect(await statementsFor(other, 100)).toBe(2);
  });

  it('are visible to their owner and to staff only', async () => {
    expect(await entries(other)).toEqual([]);
    expect(await other.data(ENTRIES, { filter: { videoId: videoIdOf(video) } })).toMatchObject({
      wallet: { entries: { edges: [] } },
    });
    expect(await service.nobody.code(ENTRIES)).toBe('UNAUTHENTICATED');
    const seen = await staff.data(
      `query ($id: ID!) { account(id: $id) { wallet { entries(first: 1, filter: { types: [ADJUSTMENT] }) {
        edges { node { amount cause { ... on AdjustmentCause { reason } } } } } } } }`,
      { id: owner.accountId },
    );
    expect(seen['account'].wallet.entries.edges[0].node).toEqual({ amount: '0.000008', cause: { reason: 'Goodwill' } });
  });
});

describe('billing over GraphQL', () => {
  it('lists the months of the account, with their download addresses', async () => {
    const month = new Date().toISOString().slice(0, 7);
    const listed = await other.data('{ statements { month isToDate opening closing csvUrl pdfUrl } }');
    expect(listed['statements']).toEqual([
      {
        month,
        isToDate: true,
        opening: '0',
        closing: '0',
        csvUrl: `/documents/statements/${month}.csv`,
        pdfUrl: `/documents/statements/${month}.pdf`,
      },
    ]);
    const own: Json[] = (await owner.data('{ statements { month opening closing } }'))['statements'];
    expect(own.at(-1)).toEqual({ month: '2026-01', opening: '0', closing: '9007199254.74099' });
    for (let n = 1; n < own.length; n += 1) expect(own[n].closing).toBe(own[n - 1].opening);
  });

  it('has a receipt for each paid top-up, and a credit note for each refund', async () => {
    const paid = await paidTopUp(service.admin, { accountId: owner.accountId });
    const unpaid = await paidTopUp(service.admin, { accountId: owner.accountId, isPaid: false });
    const refundId = await refundOf(service.admin, owner.accountId, paid);
    const query = '{ topUps { edges { node { id receiptUrl creditNotes { refundId pdfUrl } } } } }';
    const nodes: Json[] = (await owner.data(query))['topUps'].edges.map((edge: Json) => edge.node);
    const base = `/documents/top-ups/${paid.id}`;
    expect(nodes).toEqual([
      { id: unpaid.id, receiptUrl: null, creditNotes: [] },
      {
        id: paid.id,
        receiptUrl: `${base}/receipt.pdf`,
        creditNotes: [{ refundId, pdfUrl: `${base}/credit-notes/${refundId}.pdf` }],
      },
    ]);
  });

  it('keeps billing details per account, and refuses invalid ones', async () => {
    const expected = { ...DETAILS, stateCode: '27', email: null };
    expect((await owner.data(SET_DETAILS, { details: DETAILS }))['setBillingDetails']).toEqual(expected);
    const read = '{ billingDetails { legalName addressLines country stateCode gstin email } }';
    expect((await owner.data(read))['billingDetails']).toEqual(expected);
    expect((await other.data(read))['billingDetails']).toBeNull();
    const wrong = { ...DETAILS, gstin: '27AAPFU0939F1ZW' };
    expect(await owner.code(SET_DETAILS, { details: wrong })).toBe('INVALID_INPUT');
    expect((await owner.data(read))['billingDetails']).toEqual(expected);
  });

  it('warns at the set amount, or never', async () => {
    expect(await warning(other)).toBeNull();
    await other.data(SET_WARNING, { credits: '12.5' });
    expect(await warning(other)).toBe('12.5');
    expect(await other.code(SET_WARNING, { credits: '0' })).toBe('INVALID_INPUT');
    expect(await other.code(SET_WARNING, { credits: '-1' })).toBe('INVALID_INPUT');
    await other.data(SET_WARNING, { credits: null });
    expect(await warning(other)).toBeNull();
  });

  it('requires a session, and an account that is not suspended for changes', async () => {
    for (const query of ['{ statements { month } }', '{ billingDetails { country } }']) {
      expect(await service.nobody.code(query)).toBe('UNAUTHENTICATED');
    }
    expect(await service.nobody.code(SET_DETAILS, { details: DETAILS })).toBe('UNAUTHENTICATED');
    expect(await service.nobody.code(SET_WARNING, { credits: '1' })).toBe('UNAUTHENTICATED');
    await service.rows('update account set suspended_at = now() where id = $1', [other.accountId]);
    expect(await other.code(SET_DETAILS, { details: DETAILS })).toBe('ACCOUNT_SUSPENDED');
    expect(await other.code(SET_WARNING, { credits: '1' })).toBe('ACCOUNT_SUSPENDED');
    expect((await other.data('{ statements { month } }'))['statements']).toHaveLength(1);
  });
});

async function entries(client: Client, filter: object | null = null): Promise<Json[]> {
  const { wallet } = await client.data(ENTRIES, { filter });
  return wallet.entries.edges.map((edge: Json) => edge.node);
}

async function warning(client: Client): Promise<string | null> {
  return (await client.data('{ wallet { lowBalanceWarning } }'))['wallet'].lowBalanceWarning;
}

/** The number of statements that the database executes for one page. */
async function statementsFor(client: Client, first: number): Promise<number> {
  const before = statements.count;
  await client.data(ENTRIES, { first });
  return statements.count - before;
}
