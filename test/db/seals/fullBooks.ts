import { pino } from 'pino';

import { installVirtualClock, setClockOffset } from '../../../src/db/virtualClock.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { ReferralService } from '../../../src/domain/payments/referrals/referral.service.js';
import { StorageService } from '../../../src/domain/payments/storage/storage.service.js';
import { releaseEscrow, settleEscrow } from '../../../src/domain/ledger/escrow.js';
import { adjustByStaff, fundWallet } from '../../support/accounts.js';
import { lockForJob } from '../../support/jobs.js';
import { factsOf, PaymentsRig } from '../../support/payments.js';

const CREDIT = 1_000_000n;

/** Books with one of every event that is recorded beside its postings. */
export interface FullBooks {
  readonly rig: PaymentsRig;
  /** Topped up and referred, with storage, a requested refund, an open dispute and money in suspense. */
  readonly owner: string;
  /** The referrer of `owner` and of `returner`. */
  readonly referrer: string;
  /** Referred; had the first top-up refunded within the window. */
  readonly returner: string;
  /** With credits and three jobs: one settled for 0.6 of 1 credit, one released, one locked. */
  readonly stranger: string;
  readonly settledVideo: string;
  readonly releasedVideo: string;
  readonly lockedVideo: string;
}

export async function openFullBooks(): Promise<FullBooks> {
  const rig = await PaymentsRig.start();
  await installVirtualClock(rig.database.migrationUrl);
  await setClockOffset(rig.database.migrationUrl, Date.parse('2027-03-02T12:00:00Z') - Date.now());
  await rig.rows(`update storage_night set day = '2027-02-27'`);
  const [owner, referrer, returner] = [await rig.account(), await rig.account(), await rig.account()];
  const stranger = await rig.account(0n, 5n * CREDIT);
  await refer(rig, owner, referrer);
  await refer(rig, returner, referrer);

  const topUp = await rig.topUp(owner);
  const facts = factsOf(topUp, 'pay_1');
  await rig.deliver([facts.captured]);
  await rig.refunds.requestRefund(owner, { topUpId: topUp.id, amount: '10', idempotencyKey: 'r' });
  await rig.deliver([facts.dispute('disp_1', 2000n, 'open')]);
  const short = await rig.topUp(owner);
  await rig.deliver([{ ...factsOf(short, 'pay_2').captured, amountMinor: 4000n }]);
  await rig.deliver([factsOf(short, 'pay_2').refund('rfnd_2', 1500n, 'processed')]);

  const referrals = new ReferralService({ db: rig.db, logger: pino({ level: 'silent' }), publicUrl: 'http://x' });
  const returned = factsOf(await rig.topUp(returner), 'pay_3');
  await rig.deliver([returned.captured]);
  await referrals.deliver();
  await rig.deliver([{ ...returned.refund('rfnd_3', 5000n, 'processed'), createdAt: returned.captured.capturedAt }]);
  await referrals.deliver();

  await rig.rows(
    `insert into stored_object (account_id, key, size_bytes, stored_at) values ($1, 'k', 7777777777, '2027-02-01')`,
    [owner],
  );
  await new StorageService(rig.db).runDueNights(new AbortController().signal);

  const [settledVideo, releasedVideo, lockedVideo] = [newId(), newId(), newId()];
  for (const videoId of [settledVideo, releasedVideo, lockedVideo]) {
    const escrow = { accountId: stranger, videoId, attempt: 1, bucket: 'CREATIVE', amountMicros: CREDIT } as const;
    await rig.db.transaction(({ sql }) => lockForJob(sql, escrow));
  }
  const job = { accountId: stranger, attempt: 1 };
  await rig.db.transaction(({ sql }) => settleEscrow(sql, { ...job, videoId: settledVideo, amountMicros: 600_000n }));
  await rig.db.transaction(({ sql }) => releaseEscrow(sql, { ...job, videoId: releasedVideo }));
  await adjustByStaff(rig.db, stranger, 3n * CREDIT);
  await adjustByStaff(rig.db, stranger, -CREDIT);
  await fundWallet(rig.db, stranger, { AI: CREDIT, DEBT: -CREDIT });
  await rig.wallet.repayDebt(stranger, { amountMicros: CREDIT / 2n, idempotencyKey: 'repaid' });
  return { rig, owner, referrer, returner, stranger, settledVideo, releasedVideo, lockedVideo };
}

async function refer(rig: PaymentsRig, inviteeId: string, referrerId: string): Promise<void> {
  await rig.rows(
    `insert into referral (account_id, referrer_id, code, masked_email, joined_at)
      values ($1, $2, 'CODE', 'i•••@example.com', service_now())`,
    [inviteeId, referrerId],
  );
  await rig.rows(
    `insert into referral_outbox (account_id, seq, kind, created_at, deliver_after)
      values ($1, 0, 'joined', service_now(), service_now())`,
    [inviteeId],
  );
}
