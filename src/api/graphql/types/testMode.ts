import { Field, Float, ID, ObjectType, registerEnumType } from 'type-graphql';

import { Credits } from '../scalars/credits.js';
import { DateTime } from '../scalars/dateTime.js';
import { TopUpDisputeState } from './topUp.js';

export const TestDisputeOutcome = { WON: 'won', LOST: 'lost' } as const;
export type TestDisputeOutcome = (typeof TestDisputeOutcome)[keyof typeof TestDisputeOutcome];
registerEnumType(TestDisputeOutcome, { name: 'TestDisputeOutcome' });

@ObjectType({ description: 'The clock of test mode, which its owner moves.' })
export class TestClock {
  @Field(() => Float, { description: 'How far it is ahead of the service clock.' })
  movedSeconds!: number;

  @Field(() => DateTime)
  now!: Date;
}

@ObjectType()
export class TestDispute {
  @Field(() => ID)
  id!: string;

  @Field(() => TopUpDisputeState)
  state!: TopUpDisputeState;

  @Field(() => DateTime)
  createdAt!: Date;
}

@ObjectType({ description: 'A simulated payment.' })
export class TestPayment {
  @Field(() => ID, { description: 'The `topUpId` of its events.' })
  id!: string;

  @Field(() => Credits)
  amount!: bigint;

  @Field(() => DateTime)
  createdAt!: Date;

  @Field(() => TestDispute, { nullable: true })
  dispute!: TestDispute | null;
}

@ObjectType({ description: 'What a wallet would show after the simulated payments. It holds no credits.' })
export class TestWallet {
  @Field(() => Credits)
  available!: bigint;

  @Field(() => Credits, { description: 'Held by open disputes.' })
  disputeHold!: bigint;

  @Field(() => Credits, { description: 'Zero or more.' })
  debt!: bigint;

  @Field(() => [TestPayment], { description: 'The newest 100, newest first.' })
  payments!: readonly TestPayment[];
}
