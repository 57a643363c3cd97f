import { Field, ID, ObjectType, registerEnumType } from 'type-graphql';

import { DateTime } from '../scalars/dateTime.js';

export enum AccessTokenScope {
  READ = 'read',
  MANAGE = 'manage',
  MONEY = 'money',
}
registerEnumType(AccessTokenScope, {
  name: 'AccessTokenScope',
  description: 'What a program may do with a token.',
  valuesConfig: {
    READ: { description: 'Read everything that the owner sees. Every token may.' },
    MANAGE: { description: 'Change and delete videos, captions and settings; revoke API keys; preview videos.' },
    MONEY: { description: 'Process videos, move credits, start top-ups and request refunds.' },
  },
});

@ObjectType({ description: 'A token with which a program uses this GraphQL API, as `Authorization: Bearer <token>`.' })
export class AccessToken {
  @Field(() => ID)
  id!: string;

  @Field(() => String)
  name!: string;

  @Field(() => [AccessTokenScope])
  scopes!: AccessTokenScope[];

  @Field(() => String, { description: 'The first characters, to tell tokens apart.' })
  prefix!: string;

  @Field(() => String)
  last4!: string;

  @Field(() => DateTime)
  createdAt!: Date;

  @Field(() => DateTime, { nullable: true, description: 'Null: it does not expire.' })
  expiresAt!: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'To the minute; null until it is used.' })
  lastUsedAt!: Date | null;
}

@ObjectType()
export class CreatedAccessToken {
  @Field(() => AccessToken)
  accessToken!: AccessToken;

  @Field(() => String, { description: 'The whole token. It is shown only once and not stored.' })
  token!: string;
}
