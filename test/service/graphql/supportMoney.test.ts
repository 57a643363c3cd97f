import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { raiseAlert } from '../../../src/domain/shared/alerts/raiseAlert.js';
import { newId, videoIdOf } from '../../../src/domain/shared/ids.js';
import type { Client, Json } from '../../support/graphql/client.js';
import { credits, paperVideo } from './parents.js';
import { GraphqlService } from './service.js';

const ADJUST = `mutation ($account: ID!, $amount: Credits!, $key: String!) {
  adjustWallet(accountId: $account, amount: $amount, reason: "large goodwill", idempotencyKey: $key) {
    wallet { master } pending { id status amount requestedByEmail expiresAt }
  }
}`;
const DECIDE = (name: string) => `mutation ($account: ID!, $id: ID!, $reason: String = "seen") {
  ${name}(accountId: $account, id: $id, reason: $reason) { status decidedByEmail decisionReason }
}`;
const REQUESTS = `query ($first: Int = 20, $after: String, $status: AdjustmentStatus) {
  adjustmentRequests(first: $first, after: $after, status: $status) {
    edges { cursor node { id accountId accountEmail amount reason status requestedByEmail } } pageInfo { hasNextPage endCursor }
  }
}`;
const ALERTS = `query ($first: Int = 20, $after: String, $resolved: Boolean = false) {
  alerts(first: $first, after: $after, resolved: $resolved) {
    edges { node { id kind subject message accountEmail times resolvedAt } } pageInfo { hasNextPage endCursor }
  }
}`;
const RESOLVE = `mutation ($id: ID!, $reason: String = "rendition up") { resolveAlert(id: $id, reason: $reason) { resolvedAt } }`;
const FAILED = `{ failedVideos { edges { node { accountId videoId title attempt failureCode failureMessage } } } }`;
const RETRY = `mutation ($account: ID!, $video: ID!, $reason: String = "our fault") {
  retryFailedVideo(accountId: $account, videoId: $video, reason: $reason) { id status }
}`;

describe('support and money over GraphQL', () => {
  let service: GraphqlService;
  let asha: Client;
  let ravi: Client;
  let owner: Client;

  beforeAll(async () => {
    service = await GraphqlService.start();
    asha = await service.signedIn('asha@example.com', 'support');
    ravi = await service.signedIn('ravi@example.com', 'support');
    owner = await service.signedIn('owner@example.com');
  });
  afterAll(() => service.stop());

  it('requires a second person above the limit, and posts what they approve', async () => {
    const account = owner.accountId;
    const { adjustWallet } = await asha.data(ADJUST, { account, amount: '2500', key: 'big' });
    expect(adjustWallet).toMatchObject({
      wallet: { master: '0' },
      pending: { status: 'PENDING', amount: '2500', requestedByEmail: 'asha@example.com' },
    });
    const { id } = adjustWallet.pending;
    expect(await asha.code(DECIDE('approveAdjustment'), { account, id })).toBe('FORBIDDEN');
    expect(await owner.code(DECIDE('approveAdjustment'), { account, id })).toBe('FORBIDDEN');
    expect(await ravi.code(DECIDE('approveAdjustment'), { account, id, reason: ' ' })).toBe('INVALID_INPUT');
    expect(await ravi.code(DECIDE('approveAdjustment'), { account: asha.accountId, id })).toBe('NOT_FOUND');
    expect(await ravi.code(DECIDE('approveAdjustment'), { account, id: 'x' })).toBe('NOT_FOUND');
    expect((await ravi.data(DECIDE('approveAdjustment'), { account, id })).approveAdjustment).toEqual({
      status: 'APPROVED',
      decidedByEmail: 'ravi@example.com',
      decisionReason: 'seen',
    });
    expect((await owner.data('{ wallet { master } }')).wallet).toEqual({ master: '2500' });

    const second = (await asha.data(ADJUST, { account, amount: '-1500', key: 'down' })).adjustWallet.pending;
    expect((await ravi.data(DECIDE('refuseAdjustment'), { account, id: second.id })).refuseAdjustment.status).toBe(
      'REFUSED',
    );
    const { adjustmentRequests } = await ravi.data(REQUESTS, { first: 1 });
    expect(adjustmentRequests.edges[0].node).toMatchObject({
      id: second.id,
      accountEmail: 'owner@example.com',
      status: 'REFUSED',
      amount: '-1500',
    });
    const rest = await ravi.data(REQUESTS, { after: adjustmentRequests.pageInfo.endCursor });
    expect(rest.adjustmentRequests.edges.map((edge: Json) => edge.node.id)).toEqual([id]);
    const pending = await ravi.data(REQUESTS, { status: 'PENDING' });
    expect(pending.adjustmentRequests.edges).toEqual([]);
  });

  it('shows alerts until somebody resolves them', async () => {
    const { sql } = service.services.db;
    await raiseAlert(sql, { kind: 'payment.mismatch', subject: 'pay_1', message: 'Amounts differ.' });
    await raiseAlert(sql, { kind: 'payment.mismatch', subject: 'pay_1', message: 'Amounts differ.' });
    await raiseAlert(sql, { kind: 'ledger.fault', subject: 'row', message: 'It does not hold.' });
    const { alerts } = await asha.data(ALERTS, { first: 1 });
    expect(alerts.edges[0].node).toMatchObject({ kind: 'ledger.fault', accountEmail: null, times: 1 });
    const next = (await asha.data(ALERTS, { first: 1, after: alerts.pageInfo.endCursor })).alerts;
    expect(next.edges[0].node).toMatchObject({ subject: 'pay_1', times: 2, resolvedAt: null });
    expect(next.pageInfo.hasNextPage).toBe(false);

    const { id } = next.edges[0].node;
    expect(await asha.code(RESOLVE, { id, reason: '' })).toBe('INVALID_INPUT');
    await asha.data(RESOLVE, { id });
    expect(await asha.code(RESOLVE, { id })).toBe('NOT_FOUND');
    expect((await asha.data(ALERTS)).alerts.edges).toHaveLength(1);
    expect((await asha.data(ALERTS, { resolved: true })).alerts.edges).toHaveLength(2);
    const trail = await service.rows(`select subject, reason from audit_entry where action = 'alert.resolve'`);
    expect(trail).toEqual([{ subject: 'payment.mismatch: pay_1', reason: 'rendition up' }]);
  });

  it('finds failed videos of all accounts, and retries one with an audit entry', async () => {
    const customer = await service.signedIn('customer@example.com');
    const account = customer.accountId;
    const video = await paperVideo(service, account);
    await service.rows(
      `update video set status = 'failed', attempt = 1, quality = '480p', failure_code = 'OUT_OF_SPACE',
        failure_message = 'The disk was full.' where id = $1`,
      [video],
    );
    const target = { account, video: videoIdOf(video) };
    expect((await asha.data(FAILED)).failedVideos.edges).toEqual([
      {
        node: {
          accountId: account,
          videoId: videoIdOf(video),
          title: 'A video',
          attempt: 1,
          failureCode: 'OUT_OF_SPACE',
          failureMessage: 'The disk was full.',
        },
      },
    ]);
    expect(await asha.code(RETRY, target)).toBe('INSUFFICIENT_CREDITS');
    expect(await retries(account)).toEqual([]);
    await credits(service, account, { creativeMicros: 5_000_000n });
    expect(await asha.code(RETRY, { ...target, reason: '' })).toBe('INVALID_INPUT');
    expect(await asha.code(RETRY, { ...target, account: owner.accountId })).toBe('VIDEO_NOT_FOUND');
    expect(await asha.code(RETRY, { ...target, video: newId() })).toBe('VIDEO_NOT_FOUND');
    expect((await asha.data(RETRY, target)).retryFailedVideo).toEqual({ id: videoIdOf(video), status: 'QUEUED' });
    expect(await asha.code(RETRY, target)).toBe('INVALID_STATE');
    expect(await retries(account)).toEqual([{ subject: video, reason: 'our fault', attempt: '2' }]);
    expect((await asha.data(FAILED)).failedVideos.edges).toEqual([]);
  });

  it('shows whether the books verify', async () => {
    const HEALTH = '{ ledgerHealth { lastSeal { blockNo entries digest } lastVerifiedAt faults firstFault } }';
    expect((await asha.data(HEALTH)).ledgerHealth).toEqual({
      lastSeal: null,
      lastVerifiedAt: null,
      faults: 0,
      firstFault: null,
    });
    await credits(service, owner.accountId, { masterMicros: 1n });
    await service.services.ledgerAudit.nightly();
    expect((await asha.data(HEALTH)).ledgerHealth).toMatchObject({
      lastSeal: { blockNo: 1, digest: expect.stringMatching(/^[0-9a-f]{64}$/) },
      lastVerifiedAt: expect.any(String),
      faults: 0,
    });
  });

  function retries(account: string): Promise<unknown[]> {
    return service.rows(
      `select subject, reason, details->>'attempt' as attempt from audit_entry
        where account_id = $1 and action = 'video.retry'`,
      [account],
    );
  }
});
