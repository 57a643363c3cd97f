import { Field, ID, Int, ObjectType } from 'type-graphql';

import { DateTime } from '../scalars/dateTime.js';

@ObjectType({ description: 'A member of staff looks at an account as its owner sees it. Nothing can be changed.' })
export class OwnerView {
  @Field(() => ID)
  id!: string;

  @Field(() => String)
  staffEmail!: string;

  @Field(() => DateTime)
  endsAt!: Date;

  @Field(() => Int, { description: 'Seconds until `endsAt`, by the service clock.' })
  secondsLeft!: number;

  @Field(() => Boolean, { description: 'Whether it has ended: then only endOwnerView is possible.' })
  isOver!: boolean;
}
