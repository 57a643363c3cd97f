import { Readable } from 'node:stream';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { installVirtualClock } from '../../../src/db/virtualClock.js';
import { EVENT_TYPES } from '../../../src/domain/shared/events/eventTypes.js';
import {
  addVideo,
  clockAfterNoon,
  openCustomer,
  type RestService,
  startRestService,
} from '../../support/contract/service.js';
import { type Cause, type LeadsTo, playRounds, Refusal, ROUNDS } from '../../support/events/rounds.js';
import { factsOf, PaymentsRig } from '../../support/payments.js';
import { CREDIT, GB, StorageScene } from '../../support/storage/scene.js';
import { openScene, type PipelineScene } from '../../support/worker/pipeline.js';
import { ladderOf } from '../processing/paperLadder.js';
import { after, ReferralTest } from '../referrals/referralTest.js';

/** Of rounds that touch nothing but their own accounts. */
const SIDE_BY_SIDE = 4;
const FAILURE = { code: 'SOURCE_DAMAGED', message: 'The file ends early.' };

/** Types that some cause of this file leads to, whichever of its tests run. */
const covered = new Set<string>();

/** A test that something leads to just these events. */
function leads(title: string, leadsTo: LeadsTo, play: (leadsTo: LeadsTo) => Promise<void>): void {
  for (const type of Object.keys(leadsTo)) covered.add(type);
  it(title, () => play(leadsTo));
}

describe(`one event per fact, and none for what was rolled back, ${ROUNDS} times:`, () => {
  describe('videos', () => {
    let scene: PipelineScene;
    let refusal: Refusal;
    beforeAll(async () => {
      scene = await openScene();
      refusal = await Refusal.in(scene.database.migrationUrl);
    });
    afterAll(async () => {
      await refusal.end();
      await scene.close();
    });
    const does = (title: string, leadsTo: LeadsTo, prepare: () => Promise<Cause>) =>
      leads(title, leadsTo, () => playRounds(scene.pipeline.db, refusal, leadsTo, prepare, SIDE_BY_SIDE));

    does('uploaded', { 'video.uploaded': 1 }, async () => {
      const { pipeline } = scene;
      const accountId = await pipeline.account(1n);
      const { video, upload } = await pipeline.videos.create(accountId, { filename: 'a.mp4', sizeBytes: 3 });
      await pipeline.store.put(
        `sources/${accountId}/${video.id}/${upload.uploadId}`,
        Readable.from([Buffer.from('abc')]),
      );
      const run = () => pipeline.uploads.finish({ accountId, uploadId: upload.uploadId });
      return { accountIds: [accountId], run };
    });

    does('playable', { 'video.playable': 1 }, async () => {
      const { accountId, claim } = await scene.pipeline.claimed();
      const run = () => scene.pipeline.attempts.publishRenditions(claim, ladderOf(['480p']));
      return { accountIds: [accountId], run };
    });

    does('ready', { 'video.ready': 1 }, async () => {
      const { accountId, claim } = await scene.pipeline.claimed();
      await scene.pipeline.attempts.publishRenditions(claim, ladderOf(['480p']));
      const last = { ...ladderOf(['720p']), posterPath: null, storyboard: null };
      const run = () => scene.pipeline.attempts.finish(claim, last);
      return { accountIds: [accountId], run };
    });

    does('failed', { 'video.failed': 1 }, async () => {
      const { accountId, claim } = await scene.pipeline.claimed();
      const run = () => scene.pipeline.attempts.fail(claim, FAILURE);
      return { accountIds: [accountId], run };
    });

    does('deleted', { 'video.deleted': 1 }, async () => {
      const { accountId, videoId } = await scene.pipeline.claimed();
      const run = () => scene.pipeline.videos.delete(accountId, videoId);
      return { accountIds: [accountId], run };
    });

    does('restored', { 'video.restored': 1 }, async () => {
      const { accountId, claim } = await scene.pipeline.claimed();
      await scene.pipeline.attempts.finish(claim, ladderOf(['720p']));
      await scene.pipeline.bin.put(accountId, claim.videoId);
      const run = () => scene.pipeline.bin.restore(accountId, claim.videoId);
      return { accountIds: [accountId], run };
    });
  });

  describe('payments', () => {
    let rig: PaymentsRig;
    let refusal: Refusal;
    beforeAll(async () => {
      rig = await PaymentsRig.start();
      refusal = await Refusal.in(rig.database.migrationUrl);
    });
    afterAll(async () => {
      await refusal.end();
      await rig.stop();
    });
    const does = (title: string, leadsTo: LeadsTo, prepare: () => Promise<Cause>) =>
      leads(title, leadsTo, () => playRounds(rig.db, refusal, leadsTo, prepare));
    /** The webhook comes, and whatever waits in the inbox is due at once. */
    const told = async (facts: Parameters<PaymentsRig['receive']>[0]) => {
      await rig.receive(facts);
      await rig.admin.query(`update webhook_event set next_attempt_at = service_now() where status = 'failed'`);
      await rig.inbox.drain();
    };

    does('credited', { 'topup.credited': 1 }, async () => {
      const accountId = await rig.account();
      const { captured } = factsOf(await rig.topUp(accountId));
      return { accountIds: [accountId], run: () => told([captured]) };
    });

    does('refunded and disputed', { 'refund.booked': 1, 'dispute.opened': 1 }, async () => {
      const accountId = await rig.account();
      const topUp = await rig.topUp(accountId);
      const facts = factsOf(topUp);
      await rig.deliver([facts.captured]);
      const news = [
        facts.refund(`re-${topUp.id}`, 1_000n, 'processed'),
        facts.dispute(`dp-${topUp.id}`, 2_000n, 'open'),
      ];
      return { accountIds: [accountId], run: () => told(news) };
    });

    // lowBalanceRounds.test.ts has the others.
    does('a low balance', { 'wallet.low': 1 }, async () => {
      const { accountId } = await rig.paid();
      const move = { from: 'MASTER', to: 'AI', amountMicros: 51n * CREDIT, idempotencyKey: 'once' } as const;
      return { accountIds: [accountId], run: () => rig.wallet.allocate(accountId, move) };
    });
  });

  describe('referrals', () => {
    let test: ReferralTest;
    let refusal: Refusal;
    beforeAll(async () => {
      test = await ReferralTest.start();
      refusal = await Refusal.in(test.database.migrationUrl);
    });
    afterAll(async () => {
      await refusal.end();
      await test.stop();
    });
    const does = (title: string, leadsTo: LeadsTo, prepare: () => Promise<Cause>) =>
      leads(title, leadsTo, () => playRounds(test.db, refusal, leadsTo, prepare));

    // The invitee's balance is below the threshold, but it rises.
    does('rewarded', { 'referral.rewarded': 2 }, async () => {
      const { referrerId, inviteeId } = await test.pair();
      const run = async () => {
        await test.settle(inviteeId);
        await test.referrals.deliver();
      };
      return { accountIds: [referrerId, inviteeId], run };
    });

    does('reversed', { 'referral.reversed': 2, 'wallet.low': 1 }, async () => {
      const { referrerId, inviteeId } = await test.pair();
      await test.settle(inviteeId);
      await test.referrals.deliver();
      const run = async () => {
        await test.settle(inviteeId, { refundedAt: after(1_000) });
        await test.referrals.deliver();
      };
      return { accountIds: [referrerId, inviteeId], run };
    });
  });

  describe('storage', () => {
    let scene: StorageScene;
    let refusal: Refusal;
    beforeAll(async () => {
      scene = await StorageScene.open('2027-03-01');
      refusal = await Refusal.in(scene.database.migrationUrl);
    });
    afterAll(async () => {
      await refusal.end();
      await scene.close();
    });

    const warned = { 'storage.arrears': 1, 'wallet.runway_short': 1 };
    leads('arrears, and credits for a few days only', warned, async (leadsTo) => {
      const poor = await scene.account({});
      await scene.store(poor, { bytes: 31n * GB, storedAt: '2026-01-01T00:00:00Z' });
      let day = Date.parse('2027-03-02T00:15:00Z');
      let last: string | null = null;
      await playRounds(scene.db, refusal, leadsTo, async () => {
        // Warned accounts store nothing more, so that a night charges two accounts and not one more each time.
        if (last !== null) await scene.admin.query('delete from stored_object where account_id = $1', [last]);
        const short = await scene.account({ CLOUD: 2n * CREDIT });
        await scene.store(short, { bytes: 14n * GB, storedAt: '2026-01-01T00:00:00Z' });
        await scene.setClock(new Date(day).toISOString());
        // A minute later each day: what the log hides after 90 days is hidden before a round begins, and not during it.
        day += 86_400_000 + 60_000;
        last = short;
        return { accountIds: [poor, short], run: () => scene.run() };
      });
    });
  });

  describe('keys', () => {
    let service: RestService;
    let refusal: Refusal;
    beforeAll(async () => {
      service = await startRestService({ maxConnections: 20 });
      // A quota is one of a UTC day, so no midnight may come.
      await installVirtualClock(service.database.migrationUrl);
      await clockAfterNoon(service);
      refusal = await Refusal.in(service.database.migrationUrl);
    });
    afterAll(async () => {
      await refusal.end();
      await service.stop();
    });
    const does = (title: string, leadsTo: LeadsTo, prepare: () => Promise<Cause>) =>
      leads(title, leadsTo, () => playRounds(service.db, refusal, leadsTo, prepare, SIDE_BY_SIDE));

    does('created', { 'key.created': 4 }, async () => {
      const { accountId } = await openCustomer(service);
      // Each call that succeeds makes a key: four in all.
      return {
        accountIds: [accountId],
        run: () => service.keys.create(accountId, { name: 'another' }),
      };
    });

    does('changed and revoked', { 'quota.changed': 1, 'key.revoked': 1 }, async () => {
      const { accountId, keyId } = await openCustomer(service);
      const run = async () => {
        await service.keys.setDailyQuota(accountId, keyId, 5_000);
        await service.keys.revoke(accountId, keyId);
      };
      return { accountIds: [accountId], run };
    });

    does('nearly used and used up', { 'quota.warning': 1, 'quota.reached': 1 }, async () => {
      const { accountId, keyId, key } = await openCustomer(service);
      await service.keys.setDailyQuota(accountId, keyId, 1);
      const videoId = await addVideo(service.db, accountId);
      const run = () => service.playback.mint(key, videoId);
      return { accountIds: [accountId], run };
    });
  });

  it('every event type is among them', () => {
    expect([...covered].toSorted()).toEqual(Object.keys(EVENT_TYPES).toSorted());
  });
});
