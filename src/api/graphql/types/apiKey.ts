import { Field, ID, Int, ObjectType } from 'type-graphql';

import { DateTime } from '../scalars/dateTime.js';
import { connectionOf } from './connection.js';

@ObjectType()
export class ApiKey {
  @Field(() => ID)
  id!: string;

  @Field(() => String)
  name!: string;

  @Field(() => String, { description: 'The first characters, to tell keys apart.' })
  prefix!: string;

  @Field(() => String)
  last4!: string;

  @Field(() => Int, { description: 'Playback tokens per UTC day.' })
  dailyQuota!: number;

  @Field(() => Int, {
    description:
      'Tokens that count against today’s quota. A new key starts with those that revoked keys created today.',
  })
  usedToday!: number;

  @Field(() => DateTime)
  createdAt!: Date;

  @Field(() => DateTime, { nullable: true })
  revokedAt!: Date | null;

  /** The owning account; not in the schema. */
  accountId!: string;
}

@ObjectType({ description: 'Tokens that a key created on one UTC day.' })
export class ApiKeyDay {
  @Field(() => String, { description: 'YYYY-MM-DD' })
  day!: string;

  @Field(() => Int)
  used!: number;

  @Field(() => Int, { description: "As it was at the day's last token." })
  dailyQuota!: number;
}

@ObjectType()
export class CreatedApiKey {
  @Field(() => ApiKey)
  apiKey!: ApiKey;

  @Field(() => String, { description: 'The full key. It is shown only once and not stored.' })
  key!: string;
}

@ObjectType()
export class ApiKeyConnection extends connectionOf('ApiKey', () => ApiKey) {}
