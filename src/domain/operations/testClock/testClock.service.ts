import { type Database, execute } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import { beginDaysAnew } from '../../accounts/keys/apiKey.sql.js';
import { addFact, lockTestAccount, type TestClock, testClockOf } from '../../accounts/testMode/testFacts.js';
import { wakeDeliverers } from '../../accounts/webhooks/delivery.sql.js';
import { hastenDeliveries, hastenEndpoints, hastenSecrets } from '../../accounts/webhooks/testTime.sql.js';
import type { VideoService } from '../../media/library/video.service.js';
import type { TestWalletService } from '../../payments/testMode/testWallet.service.js';
import { FORGET_TOLD } from '../../shared/events/event.sql.js';
import { newId } from '../../shared/ids.js';

const SECONDS_PER_DAY = 86_400;
const MAX_SECONDS = 31 * SECONDS_PER_DAY;

/**
 * Lets time pass in one test account: tokens expire, the days of its keys end, its storage is charged, its webhooks are
 * due, and its videos age. The service's clock stays as it is; instead, the times that something waits for are moved back.
 */
export class TestClockService {
  constructor(
    private readonly deps: {
      readonly db: Database;
      readonly videos: Pick<VideoService, 'expireTestVideos'>;
      readonly testWallets: Pick<TestWalletService, 'chargeNights'>;
    },
  ) {}

  /** @throws INVALID_INPUT for a live account */
  of(accountId: string): Promise<TestClock> {
    return testClockOf(this.deps.db.sql, accountId);
  }

  /**
   * Moves the clock on; it never goes back. What the time brings has happened when this returns, except for webhooks,
   * which are on their way.
   *
   * @throws INVALID_INPUT for a live account, and for less than a second or more than 31 days; LIMIT_REACHED
   */
  async move(accountId: string, seconds: number): Promise<TestClock> {
    if (!Number.isInteger(seconds) || seconds < 1 || seconds > MAX_SECONDS) {
      throw new AppError('INVALID_INPUT', `The clock can be moved by 1 to ${MAX_SECONDS} seconds at a time.`);
    }
    const { db, videos, testWallets } = this.deps;
    await db.transaction(async ({ sql }) => {
      await lockTestAccount(sql, accountId);
      const { now } = await testClockOf(sql, accountId);
      await addFact(sql, { accountId, id: newId(), fact: 'CLOCK_MOVED', seconds });
      const then = new Date(now.getTime() + seconds * 1_000);
      const nights = dayNumber(then) - dayNumber(now);
      // Locks keys before events, and endpoints before deliveries, like creating tokens and delivering webhooks.
      if (nights > 0) {
        await execute(sql, beginDaysAnew, { accountId, days: nights });
        await execute(sql, FORGET_TOLD, { accountId, types: ['quota.warning', 'quota.reached'] });
      }
      await execute(sql, hastenEndpoints, { accountId, seconds });
      await execute(sql, hastenDeliveries, { accountId, seconds });
      await execute(sql, hastenSecrets, { accountId, seconds });
      if (nights > 0) await testWallets.chargeNights(sql, accountId, now, nights);
      await execute(sql, wakeDeliverers, { accountId });
    });
    await videos.expireTestVideos({ accountId });
    return testClockOf(db.sql, accountId);
  }
}

function dayNumber(date: Date): number {
  return Math.floor(date.getTime() / 1_000 / SECONDS_PER_DAY);
}
