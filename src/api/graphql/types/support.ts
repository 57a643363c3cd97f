import { Field, ID, ObjectType } from 'type-graphql';

import { DateTime } from '../scalars/dateTime.js';
import { connectionOf } from './connection.js';
import { Role } from './enums.js';

@ObjectType({ description: 'An account as support staff see it.' })
export class SupportAccount {
  @Field(() => ID)
  id!: string;

  @Field(() => String)
  email!: string;

  @Field(() => String)
  name!: string;

  @Field(() => Boolean)
  emailVerified!: boolean;

  @Field(() => Role)
  role!: Role;

  @Field(() => DateTime)
  createdAt!: Date;

  @Field(() => DateTime, { nullable: true })
  suspendedAt!: Date | null;

  @Field(() => String, { nullable: true })
  suspendedReason!: string | null;
}

@ObjectType({ description: 'What staff did to an account, why, and when.' })
export class AuditEntry {
  @Field(() => ID)
  id!: string;

  @Field(() => ID)
  accountId!: string;

  @Field(() => ID, { nullable: true, description: 'The member of staff; null for the command line.' })
  actorId!: string | null;

  @Field(() => String, { nullable: true })
  actorEmail!: string | null;

  @Field(() => String, { description: 'Such as "api_key.set_daily_quota".' })
  action!: string;

  @Field(() => String, { description: 'What it was done to: the id of an account or a key, or an email address.' })
  subject!: string;

  @Field(() => String)
  reason!: string;

  @Field(() => [AuditDetail], { description: 'What changed, from and to.' })
  details!: AuditDetail[];

  @Field(() => DateTime)
  createdAt!: Date;
}

@ObjectType()
export class AuditDetail {
  @Field(() => String)
  key!: string;

  @Field(() => String)
  value!: string;
}

@ObjectType()
export class AuditEntryConnection extends connectionOf('AuditEntry', () => AuditEntry) {}
