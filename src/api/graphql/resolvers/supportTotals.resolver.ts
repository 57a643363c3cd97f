import { Arg, Ctx, Int, Query, Resolver } from 'type-graphql';

import { Access } from '../access.js';
import type { GraphqlContext } from '../context.js';
import { PlatformDay, QueueAge } from '../types/supportTotals.js';
import type { PlatformTotalsOfDay } from '../../../domain/operations/totals/platformTotals.service.js';

/** The platform as a whole, for staff. */
@Resolver()
export class SupportTotalsResolver {
  @Access('support')
  @Query(() => [PlatformDay], {
    description:
      'The last days including today, oldest first, updated every five minutes. Days without totals yet are omitted.',
  })
  async platformTotals(
    @Ctx() context: GraphqlContext,
    @Arg('days', () => Int, { defaultValue: 30, description: '1 to 400.' }) days: number,
  ): Promise<PlatformDay[]> {
    return (await context.services.platformTotals.lastDays(days)).map(platformDayView);
  }

  @Access('support')
  @Query(() => [QueueAge])
  queueAges(@Ctx() context: GraphqlContext): Promise<QueueAge[]> {
    return context.services.queueAges.list();
  }
}

const MS_PER_MINUTE = 60_000;

function platformDayView(totals: PlatformTotalsOfDay): PlatformDay {
  return {
    day: totals.day,
    accounts: totals.accounts,
    signUps: totals.signUps,
    creditsToppedUp: totals.toppedUpMicros,
    creditsSpent: totals.spentMicros,
    creditsRefunded: totals.refundedMicros,
    videosUploaded: totals.videosUploaded,
    videosReady: totals.videosReady,
    videosFailed: totals.videosFailed,
    minutesEncoded: totals.encodedMs / MS_PER_MINUTE,
    tokens: totals.tokens,
    views: totals.views,
    storedBytes: totals.storedBytes,
    isFinal: totals.isFinal,
    measuredAt: totals.measuredAt,
  };
}
