import { Field, ID, ObjectType } from 'type-graphql';

import { DateTime } from '../scalars/dateTime.js';

@ObjectType({ description: 'A browser that somebody is signed in with.' })
export class Session {
  @Field(() => ID)
  id!: string;

  @Field(() => Boolean, { description: 'Whether this request belongs to it.' })
  current!: boolean;

  @Field(() => DateTime)
  createdAt!: Date;

  @Field(() => DateTime)
  expiresAt!: Date;

  @Field(() => String, { nullable: true, description: 'The address from which it was started.' })
  ipAddress!: string | null;

  @Field(() => String, { nullable: true, description: 'What the browser calls itself.' })
  userAgent!: string | null;
}
