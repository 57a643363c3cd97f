import { Arg, Ctx, Query, Resolver, Field, ObjectType, registerEnumType } from 'type-graphql';

import { Access } from '../access.js';
import { accountIdIn, type GraphqlContext } from '../context.js';
import { Day } from '../scalars/day.js';
import { Credits } from '../scalars/credits.js';

const SpendingUnit = { DAY: 'day', MONTH: 'month' } as const;
type SpendingUnit = (typeof SpendingUnit)[keyof typeof SpendingUnit];
registerEnumType(SpendingUnit, { name: 'SpendingUnit' });

@ObjectType({ description: 'Spending in one day or month (UTC), by the time of posting.' })
class SpendingPeriod {
  @Field(() => Day, { description: 'Its first day.' })
  start!: string;

  @Field(() => Credits, { description: 'Jobs, with their add-ons.' })
  processing!: bigint;

  @Field(() => Credits)
  storage!: bigint;
}

@Resolver()
export class SpendingResolver {
  @Access('owner')
  @Query(() => [SpendingPeriod], {
    description:
      'Oldest first: from and to included, at most 400 days. Periods in which nothing was spent are left out.',
  })
  async spending(
    @Ctx() context: GraphqlContext,
    @Arg('from', () => Day) from: string,
    @Arg('to', () => Day) to: string,
    @Arg('by', () => SpendingUnit) by: SpendingUnit,
  ): Promise<SpendingPeriod[]> {
    const periods = await context.services.wallet.spending(accountIdIn(context), { from, to, by });
    return periods.map(({ start, processingMicros, storageMicros }) => ({
      start,
      processing: processingMicros,
      storage: storageMicros,
    }));
  }
}
