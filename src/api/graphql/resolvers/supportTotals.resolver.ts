import { Arg, Ctx, Int, Query, Resolver } from 'type-graphql';

import { Access } from '../access.js';
import type { GraphqlContext } from '../context.js';
import { PlatformDay, QueueAge } from '../types/supportTotals.js';
import { platformDayView } from '../views/supportTotalsView.js';

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
