import { Field, ID, Int, ObjectType, registerEnumType } from 'type-graphql';

import { DateTime } from '../scalars/dateTime.js';
import { connectionOf } from './connection.js';
import { AdjustmentStatus } from './supportMoney.js';

export const StaffRequestKind = { REFUND: 'refund', QUOTA: 'quota' } as const;
export type StaffRequestKind = (typeof StaffRequestKind)[keyof typeof StaffRequestKind];
registerEnumType(StaffRequestKind, { name: 'StaffRequestKind' });

@ObjectType({ description: 'A refund or a quota that one member of staff requests and another decides on.' })
export class StaffRequest {
  @Field(() => ID)
  id!: string;

  @Field(() => ID)
  accountId!: string;

  @Field(() => StaffRequestKind)
  kind!: StaffRequestKind;

  @Field(() => ID, { nullable: true, description: 'Of a quota.' })
  apiKeyId!: string | null;

  @Field(() => String, { nullable: true })
  apiKeyName!: string | null;

  @Field(() => Int, { nullable: true, description: 'The requested daily quota.' })
  dailyQuota!: number | null;

  @Field(() => ID, { nullable: true, description: 'Of a refund.' })
  topUpId!: string | null;

  @Field(() => String, { nullable: true, description: 'In the currency of the top-up.' })
  amount!: string | null;

  @Field(() => String, { nullable: true })
  currency!: string | null;

  @Field(() => String)
  reason!: string;

  @Field(() => AdjustmentStatus)
  status!: AdjustmentStatus;

  @Field(() => ID)
  requestedBy!: string;

  @Field(() => String, { nullable: true })
  requestedByEmail!: string | null;

  @Field(() => DateTime)
  requestedAt!: Date;

  @Field(() => DateTime, { description: 'It can’t be approved after this time.' })
  expiresAt!: Date;

  @Field(() => String, { nullable: true })
  decidedByEmail!: string | null;

  @Field(() => DateTime, { nullable: true })
  decidedAt!: Date | null;

  @Field(() => String, { nullable: true })
  decisionReason!: string | null;
}

@ObjectType()
export class StaffRequestConnection extends connectionOf('StaffRequest', () => StaffRequest) {}
