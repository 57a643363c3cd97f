import { Field, ID, Int, ObjectType, registerEnumType } from 'type-graphql';

import { Credits } from '../scalars/credits.js';
import { DateTime } from '../scalars/dateTime.js';
import { connectionOf } from './connection.js';

export enum ReferralStatus {
  PENDING = 'PENDING',
  GRANTED = 'GRANTED',
  CLAWED_BACK = 'CLAWED_BACK',
  CANCELLED = 'CANCELLED',
}
registerEnumType(ReferralStatus, {
  name: 'ReferralStatus',
  valuesConfig: {
    PENDING: { description: 'Signed up, and has not topped up yet.' },
    GRANTED: { description: 'Has topped up: both bonuses are booked.' },
    CLAWED_BACK: { description: 'The first top-up was refunded within the window: both bonuses are taken back.' },
    CANCELLED: { description: 'There is no bonus, and there will be none.' },
  },
});

@ObjectType({ description: 'Someone who signed up with your code.' })
export class Invitee {
  @Field(() => ID)
  id!: string;

  @Field(() => ReferralStatus)
  status!: ReferralStatus;

  @Field(() => String, { description: 'Such as "a•••@example.com".' })
  maskedEmail!: string;

  @Field(() => DateTime)
  joinedAt!: Date;

  @Field(() => Credits, { description: 'Your current bonus for this invitee.' })
  bonus!: bigint;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Until then, a refund of the first top-up takes the bonus back; null before that top-up.',
  })
  windowEndsAt!: Date | null;
}

@ObjectType()
export class InviteeConnection extends connectionOf('Invitee', () => Invitee) {}

@ObjectType()
export class ReferralTotals {
  @Field(() => Int)
  invited!: number;

  @Field(() => Int)
  pending!: number;

  @Field(() => Int)
  granted!: number;

  @Field(() => Int)
  clawedBack!: number;

  @Field(() => Credits, { description: 'Of bonuses that were not clawed back.' })
  earned!: bigint;
}

@ObjectType({ description: 'Your code, your invitees and your bonuses. Changes appear within two minutes.' })
export class Referrals {
  @Field(() => String)
  code!: string;

  @Field(() => String, { description: 'Opens the sign-up form with your code in it.' })
  link!: string;

  @Field(() => Credits, { description: 'What you get for an invitee who tops up.' })
  referrerBonus!: bigint;

  @Field(() => Credits, { description: 'What the invitee gets on top of the first top-up.' })
  inviteeBonus!: bigint;

  @Field(() => Int, { description: 'Within this many hours after the first top-up, a refund takes both bonuses back.' })
  windowHours!: number;

  @Field(() => ReferralTotals)
  totals!: ReferralTotals;

  /** The owning account; not in the schema. */
  accountId!: string;
}

@ObjectType()
export class ReferralCodeCheck {
  @Field(() => Boolean, { description: 'False if the code is unknown or its account is suspended.' })
  valid!: boolean;
}
