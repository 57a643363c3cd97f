import { type Database, execute, type Sql } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import { beginDaysAnew } from '../../accounts/keys/apiKey.sql.js';
import {
  addFact,
  FOLD_FACTS,
  lockTestAccount,
  type TestClock,
  testClockOf,
} from '../../accounts/testMode/testFacts.js';
import { wakeDeliverers } from '../../accounts/webhooks/delivery.sql.js';
import { hastenDeliveries, hastenEndpoints, hastenSecrets } from '../../accounts/webhooks/testTime.sql.js';
import type { VideoService } from '../../media/library/video.service.js';
import type { ProcessingService } from '../../media/pipeline/processing.service.js';
import type { TestWalletService } from '../../payments/testMode/testWallet.service.js';
import { FORGET_TOLD } from '../../shared/events/event.sql.js';
import { newId } from '../../shared/ids.js';
import type { OneAtATime } from '../../shared/oneAtATime.js';

const SECONDS_PER_DAY = 86_400;
const MAX_SECONDS = 31 * SECONDS_PER_DAY;

/**
 * Lets time pass in one test account: tokens and streams expire, the days of its keys end, its storage is charged, its
 * webhooks and waiting videos are due, and its videos age. The service's clock stays as it is; instead, the times that
 * something waits for are moved back. See docs/decisions/0043-what-follows-the-test-clock.md.
 */
export class TestClockService {
  constructor(
    private readonly deps: {
      readonly db: Database;
      readonly videos: Pick<VideoService, 'expireTestVideos'>;
      readonly processing: Pick<ProcessingService, 'hasten'>;
      readonly testWallets: Pick<TestWalletService, 'chargeNights'>;
      /** By test account; shared with whatever else locks them. */
      readonly turns: OneAtATime;
    },
  ) {}

  /** @throws INVALID_INPUT for a live account */
  of(accountId: string): Promise<TestClock> {
    return testClockOf(this.deps.db.sql, accountId);
  }

  /**
   * Moves the clock on; it never goes back. What the time brings has happened when this returns, except for webhooks and
   * waiting videos, which are due, and streams, which end within two seconds.
   *
   * @throws INVALID_INPUT for a live account, and for less than a second or more than 31 days
   */
  async move(accountId: string, seconds: number): Promise<TestClock> {
    if (!Number.isInteger(seconds) || seconds < 1 || seconds > MAX_SECONDS) {
      throw new AppError('INVALID_INPUT', `The clock can be moved by 1 to ${MAX_SECONDS} seconds at a time.`);
    }
    const { db, videos, turns } = this.deps;
    await turns.run(accountId, () => db.transaction(({ sql }) => this.moveIn(sql, accountId, seconds)));
    await videos.expireTestVideos({ accountId });
    return testClockOf(db.sql, accountId);
  }

  private async moveIn(sql: Sql, accountId: string, seconds: number): Promise<void> {
    const { processing, testWallets } = this.deps;
    await lockTestAccount(sql, accountId);
    await execute(sql, FOLD_FACTS, { accountId });
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
    await processing.hasten(sql, accountId, seconds);
    await execute(sql, wakeDeliverers, { accountId });
  }
}

function dayNumber(date: Date): number {
  return Math.floor(date.getTime() / 1_000 / SECONDS_PER_DAY);
}
