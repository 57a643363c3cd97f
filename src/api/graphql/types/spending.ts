import { Field, ObjectType, registerEnumType } from 'type-graphql';

import { Credits } from '../scalars/credits.js';
import { Day } from '../scalars/day.js';

export const SpendingUnit = { DAY: 'day', MONTH: 'month' } as const;
export type SpendingUnit = (typeof SpendingUnit)[keyof typeof SpendingUnit];
registerEnumType(SpendingUnit, { name: 'SpendingUnit' });

@ObjectType({ description: 'Spending in one day or month (UTC), by the time of posting.' })
export class SpendingPeriod {
  @Field(() => Day, { description: 'Its first day.' })
  start!: string;

  @Field(() => Credits, { description: 'Jobs, with their add-ons.' })
  processing!: bigint;

  @Field(() => Credits)
  storage!: bigint;
}
