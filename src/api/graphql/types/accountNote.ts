import { Field, ID, Int, ObjectType } from 'type-graphql';

import { DateTime } from '../scalars/dateTime.js';

@ObjectType({ description: 'What staff want colleagues to know about an account. Its owner never sees it.' })
export class AccountNote {
  @Field(() => ID)
  id!: string;

  @Field(() => String)
  body!: string;

  @Field(() => String, { nullable: true, description: 'Null if the member of staff is gone.' })
  authorEmail!: string | null;

  @Field(() => DateTime)
  createdAt!: Date;

  @Field(() => String, { nullable: true })
  editedByEmail!: string | null;

  @Field(() => DateTime, { nullable: true })
  editedAt!: Date | null;

  @Field(() => Int, { description: 'To be sent with a change.' })
  version!: number;
}
