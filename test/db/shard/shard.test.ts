import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { newId, videoIdOf } from '../../../src/domain/shared/ids.js';
import { hashKey } from '../../../src/domain/accounts/keys/keyFormat.js';
import type { TopUp } from '../../../src/domain/payments/topUps/topUp.js';
import { SingleVideos } from '../../../src/domain/media/library/singleVideos.js';
import { VideoLists } from '../../../src/domain/media/library/videoList.js';
import { releaseEscrow, settleEscrow } from '../../../src/domain/ledger/escrow.js';
import { post } from '../../../src/domain/ledger/posting.js';
import type { PaymentFact } from '../../../src/ports/paymentProvider.js';
import { bodyOf, factsOf } from '../../support/payments.js';
import { deliverAcross } from './acrossShards.js';
import { Router, Shard, type Tenant } from './shards.js';

const CREDIT = 1_000_000n;
/** An open connection gets the error at its next statement. */
const SHUT = /not currently accepting connections|terminating connection|connection terminated/i;

/** Two accounts in two databases. Each run shuts one database, and works on the account of the other. */
describe.each(['first', 'second'] as const)('the account of the %s database, with the other one shut', (which) => {
  const router = new Router();
  let tenant: Tenant;
  let elsewhere: Tenant;
  let topUp: TopUp;

  const shard = () => router.of(tenant.accountId);

  beforeAll(async () => {
    const shards = [await Shard.open(), await Shard.open()];
    const tenants: Tenant[] = [];
    for (const each of shards) {
      const accountId = newId();
      router.place(accountId, each);
      tenants.push(await each.tenant(accountId));
    }
    [tenant, elsewhere] = (which === 'first' ? tenants : tenants.toReversed()) as [Tenant, Tenant];
    await router.of(elsewhere.accountId).shut();
  });
  afterAll(async () => {
    await router.of(elsewhere.accountId).close();
    await shard().close();
  });

  it('cannot reach the other account', async () => {
    const other = router.of(elsewhere.accountId);
    await expect(other.wallet.balances(elsewhere.accountId)).rejects.toThrow(SHUT);
    await expect(shard().wallet.balances(elsewhere.accountId)).rejects.toMatchObject({ code: 'ACCOUNT_NOT_FOUND' });
  });

  it('finds its key and its videos, and plays them', async () => {
    const { db, playback } = shard();
    const hash = hashKey(tenant.key)!;
    expect(await new SingleVideos(db.sql).get(hash, tenant.playable)).toMatchObject({ title: 'A video that plays' });
    const page = await new VideoLists(db.sql).page(hash, { sort: 'title', limit: 10 });
    expect(page.videos.map(({ title }) => title)).toEqual(['A video that plays', 'A video to buy']);
    await expect(new SingleVideos(db.sql).get(hash, elsewhere.playable)).rejects.toMatchObject({
      code: 'VIDEO_NOT_FOUND',
    });

    const { token, quota } = await playback.mint(tenant.key, tenant.playable);
    expect(quota.remaining).toBe(quota.limit - 1);
    expect(await playback.manifest(token.token)).toMatchObject({ videoId: videoIdOf(tenant.playable) });
  });

  it('tops up: the order, the webhook in the inbox, the credit', async () => {
    const { accountId } = tenant;
    const order = { provider: 'razorpay', amount: '100', idempotencyKey: 'first' } as const;
    topUp = await shard().topUps.createTopUp(accountId, order);
    await deliver([factsOf(topUp, 'pay_1').captured]);
    await deliver([factsOf(topUp, 'pay_1').captured]);
    expect(await shard().wallet.balances(accountId)).toMatchObject({ MASTER: 100n * CREDIT, CASH: -100n * CREDIT });
  });

  it('allocates and posts', async () => {
    const { accountId } = tenant;
    await shard().wallet.allocate(accountId, {
      from: 'MASTER',
      to: 'CREATIVE',
      amountMicros: 20n * CREDIT,
      idempotencyKey: 'a',
    });
    await post(shard().db.sql, {
      ownerId: accountId,
      type: 'ALLOCATION',
      idempotencyKey: `allocation:${newId()}`,
      deltas: { MASTER: -CREDIT, CLOUD: CREDIT },
    });
    expect(await shard().wallet.balances(accountId)).toMatchObject({
      MASTER: 79n * CREDIT,
      CREATIVE: 20n * CREDIT,
      CLOUD: CREDIT,
    });
  });

  it('quotes, locks, releases, locks again and settles', async () => {
    const { accountId, measured } = tenant;
    const { db, processing } = shard();
    const choice = { quality: '720p', branding: false, encryption: false } as const;
    const first = await processing.quote(accountId, measured, choice);
    const bought = await processing.process(accountId, first.id);
    expect((await shard().wallet.balances(accountId)).ESCROW).toBe((3n * CREDIT) / 2n);
    await db.transaction(({ sql }) => releaseEscrow(sql, { accountId, ...bought }));
    expect((await shard().wallet.balances(accountId)).CREATIVE).toBe(20n * CREDIT);

    await db.sql.query(
      { name: 'shard-fail', text: `update video set status = 'failed' where account_id = $1 and id = $2` },
      [accountId, measured],
    );
    const again = await processing.retry(accountId, measured);
    await db.transaction(({ sql }) => settleEscrow(sql, { accountId, ...again, amountMicros: CREDIT }));
    expect(await shard().wallet.balances(accountId)).toMatchObject({
      CREATIVE: 19n * CREDIT,
      ESCROW: 0n,
      REVENUE_PROCESSING: CREDIT,
    });
  });

  it('refunds: requests, holds, and posts what the provider reports', async () => {
    const { accountId } = tenant;
    const order = { topUpId: topUp.id, amount: '30', idempotencyKey: 'r' };
    const request = await shard().refunds.requestRefund(accountId, order);
    expect((await shard().wallet.balances(accountId)).REFUND_HOLD).toBe(30n * CREDIT);
    const refund = factsOf(topUp, 'pay_1').refund(request.refundId!, 3000n, 'processed');
    await deliver([{ ...refund, requestKey: request.id }]);
    expect(await shard().wallet.balances(accountId)).toMatchObject({
      MASTER: 49n * CREDIT,
      REFUND_HOLD: 0n,
      CASH: -70n * CREDIT,
    });
  });

  it('is charged for the night', async () => {
    const { accountId } = tenant;
    const nights = await shard().storage.runDueNights(new AbortController().signal);
    // 1.5 credits per gigabyte and month; the first of March is a 31st of it.
    expect(nights).toMatchObject([{ day: '2027-03-01', accounts: 1n, chargedMicros: 48_387n }]);
    expect((await shard().wallet.balances(accountId)).CLOUD).toBe(CREDIT - 48_387n);
  });

  it('shows the statement, seals the books and verifies them', async () => {
    const { accountId } = tenant;
    const lines = await shard().wallet.lines(accountId, { first: 3, after: null });
    const next = await shard().wallet.lines(accountId, { first: 100, after: lines[2]!.cursor });
    expect(lines[0]).toMatchObject({ type: 'STORAGE', account: 'CLOUD', deltaMicros: -48_387n });
    expect(next.at(-1)).toMatchObject({ type: 'TOPUP', balanceAfterMicros: 100n * CREDIT });
    const [head] = await shard().audit.seal();
    expect(head).toMatchObject({ blockNo: 1, owners: 1 });
    expect((await shard().audit.verify()).faults).toEqual([]);
  });

  /** Delivers a webhook to the inbox of the account that it names. */
  async function deliver(facts: readonly PaymentFact[]): Promise<void> {
    const event = { eventId: newId(), type: facts[0]!.kind, createdAt: new Date() };
    await shard().inbox.receive('razorpay', event, bodyOf(facts));
    await shard().inbox.drain();
  }
});

describe('a referrer and an invitee in two databases', () => {
  let ours: Shard;
  let theirs: Shard;
  let invitee: string;
  let referrer: string;
  let topUp: TopUp;

  beforeAll(async () => {
    [ours, theirs] = [await Shard.open(), await Shard.open()];
    [invitee, referrer] = [newId(), newId()];
    await ours.tenant(invitee);
    await theirs.tenant(referrer);
    // The rows that the sign-up writes, which alone looks a code up in all databases.
    const { sql } = ours.db;
    const referral = `insert into referral (account_id, referrer_id, code, masked_email, joined_at)
      values ($1, $2, 'CODE', 'i•••@example.com', service_now())`;
    await sql.query({ name: 'shard-referral', text: referral }, [invitee, referrer]);
    const joined = `insert into referral_outbox (account_id, seq, kind, created_at, deliver_after)
      values ($1, 0, 'joined', service_now(), service_now())`;
    await sql.query({ name: 'shard-joined', text: joined }, [invitee]);
  });
  afterEach(async () => {
    await ours.reopen();
    await theirs.reopen();
  });
  afterAll(async () => {
    await ours.close();
    await theirs.close();
  });

  it('get the invitee’s bonus posted and the referrer’s queued while the referrer’s database is shut', async () => {
    await theirs.shut();
    const order = { provider: 'razorpay', amount: '100', idempotencyKey: 'first' } as const;
    topUp = await ours.topUps.createTopUp(invitee, order);
    await deliver([factsOf(topUp, 'pay_1').captured]);
    expect(await ours.wallet.balances(invitee)).toMatchObject({ MASTER: 102n * CREDIT });
    await expect(deliverAcross(ours, theirs)).rejects.toThrow();
  });

  it('get the outbox delivered once both are open, and posted once even if a delivery dies', async () => {
    await expect(deliverAcross(ours, theirs, true)).rejects.toThrow('gone');
    expect(await deliverAcross(ours, theirs)).toEqual(['noted', 'booked']);
    expect(await theirs.wallet.balances(referrer)).toMatchObject({ MASTER: 5n * CREDIT, PROMO: -5n * CREDIT });
    expect(await deliverAcross(ours, theirs)).toEqual([]);
  });

  it('get the bonus posted once if the delivery dies after posting', async () => {
    await ours.db.sql.query({
      name: 'shard-again',
      text: 'update referral_outbox set deliver_after = service_now(), delivered_at = null, outcome = null where seq = 1',
    });
    await expect(deliverAcross(ours, theirs, true)).rejects.toThrow('gone');
    expect(await deliverAcross(ours, theirs)).toEqual(['booked']);
    expect((await theirs.wallet.balances(referrer)).MASTER).toBe(5n * CREDIT);
  });

  it('each lose their bonus in their own database after a refund within the window', async () => {
    await theirs.shut();
    await deliver([factsOf(topUp, 'pay_1').refund('rfnd_1', 10_000n, 'processed')]);
    expect(await ours.wallet.balances(invitee)).toMatchObject({ MASTER: 0n, PROMO: 0n });
    await theirs.reopen();
    await ours.shut();
    expect((await theirs.wallet.balances(referrer)).MASTER).toBe(5n * CREDIT);
    await ours.reopen();
    await deliverAcross(ours, theirs);
    expect(await theirs.wallet.balances(referrer)).toMatchObject({ MASTER: 0n, PROMO: 0n });
    expect((await ours.audit.verify()).faults).toEqual([]);
    expect((await theirs.audit.verify()).faults).toEqual([]);
  });

  async function deliver(facts: readonly PaymentFact[]): Promise<void> {
    const event = { eventId: newId(), type: facts[0]!.kind, createdAt: new Date() };
    await ours.inbox.receive('razorpay', event, bodyOf(facts));
    await ours.inbox.drain();
  }
});
