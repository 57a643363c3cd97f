import { Field, ObjectType } from 'type-graphql';

import { Credits } from '../scalars/credits.js';
import { Day } from '../scalars/day.js';
import { SafeInt } from '../scalars/safeInt.js';

@ObjectType({ description: 'What one day of storage cost, and what paid for it.' })
export class StorageDay {
  @Field(() => Day)
  day!: string;

  @Field(() => SafeInt, { description: 'Stored at the end of the day (UTC).' })
  bytes!: number;

  @Field(() => Credits)
  charged!: bigint;

  @Field(() => Credits)
  fromCloud!: bigint;

  @Field(() => Credits, { description: 'Zero unless MASTER may pay for storage.' })
  fromMaster!: bigint;

  @Field(() => Credits, { description: 'What could not be paid, and became debt.' })
  arrears!: bigint;
}

@ObjectType({ description: 'What is stored at this moment, what it costs, and how long it is paid for.' })
export class Storage {
  @Field(() => SafeInt)
  bytes!: number;

  @Field(() => Credits, { description: 'What a day costs at this size in the current month; rounded down.' })
  creditsPerDay!: bigint;

  @Field(() => SafeInt, {
    nullable: true,
    description:
      'Whole days that the credits set aside pay for at this size, at most 36,500; null if nothing is stored.',
  })
  runwayDays!: number | null;

  @Field(() => Boolean, { description: 'Whether MASTER pays when CLOUD runs out.' })
  autoAllocate!: boolean;

  /** The owning account; not in the schema. */
  accountId!: string;
}
