import { Field, ID, InputType } from 'type-graphql';

import { DateTime } from '../scalars/dateTime.js';
import { LedgerAccount, LedgerEntryType } from './enums.js';

@InputType({ description: 'Each field narrows the result. Omitted fields do not filter.' })
export class LedgerFilterInput {
  @Field(() => [LedgerAccount], { nullable: true })
  accounts?: LedgerAccount[] | null;

  @Field(() => [LedgerEntryType], { nullable: true })
  types?: LedgerEntryType[] | null;

  @Field(() => DateTime, { nullable: true, description: 'From this time on.' })
  from?: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'Before this time.' })
  to?: Date | null;

  @Field(() => ID, {
    nullable: true,
    description: 'Only entries about this video: credits locked, charged or returned.',
  })
  videoId?: string | null;
}
