import { Field, ID, InputType } from 'type-graphql';

import { DateTime } from '../scalars/dateTime.js';
import { LedgerAccount, LedgerEntryType } from './enums.js';

@InputType({ description: 'Every field narrows; what is left out does not.' })
export class LedgerFilterInput {
  @Field(() => [LedgerAccount], { nullable: true })
  accounts?: LedgerAccount[] | null;

  @Field(() => [LedgerEntryType], { nullable: true })
  types?: LedgerEntryType[] | null;

  @Field(() => DateTime, { nullable: true, description: 'From this time on.' })
  from?: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'Before this time.' })
  to?: Date | null;

  @Field(() => ID, { nullable: true, description: 'What was set aside, paid and given back for this video.' })
  videoId?: string | null;
}
