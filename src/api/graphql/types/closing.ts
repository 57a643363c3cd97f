import { Field, Int, ObjectType } from 'type-graphql';

import { Credits } from '../scalars/credits.js';
import { DateTime } from '../scalars/dateTime.js';
import { SafeInt } from '../scalars/safeInt.js';

@ObjectType({
  description:
    'A closed account. Its videos do not play, and nothing can be changed; its owner can read and reopen it.',
})
export class AccountClosing {
  @Field(() => DateTime)
  closedAt!: Date;

  @Field(() => DateTime, { description: 'Until then the account can be reopened. Afterwards its data is erased.' })
  eraseAfter!: Date;
}

@ObjectType({ description: 'What closing the account would end now, live and test mode together.' })
export class ClosingConsequences {
  @Field(() => Int, { description: 'Videos that would no longer play.' })
  videos!: number;

  @Field(() => SafeInt, { description: 'Bytes stored for these videos.' })
  storedBytes!: number;

  @Field(() => Int, { description: 'API keys that would be revoked. They stay revoked if the account is reopened.' })
  apiKeys!: number;

  @Field(() => Int, { description: 'Webhook endpoints that would be disabled.' })
  webhookEndpoints!: number;

  @Field(() => Int, { description: 'Videos whose processing would end. Their credits return first.' })
  jobs!: number;

  @Field(() => Credits, { description: 'What would be refunded to the original payment methods.' })
  refund!: bigint;

  @Field(() => Credits, {
    description: 'Credits that no payment backs, such as bonuses. They lapse when the data is erased.',
  })
  lapsing!: bigint;

  @Field(() => Credits, { description: 'Debt, which the balance pays before anything is refunded.' })
  debt!: bigint;
}
