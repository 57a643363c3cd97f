import { Field, Float, ID, Int, ObjectType } from 'type-graphql';

import { Credits } from '../scalars/credits.js';
import { DateTime } from '../scalars/dateTime.js';
import { Addon, Quality, QuoteItem } from './enums.js';

@ObjectType()
export class QualityPrice {
  @Field(() => Quality)
  quality!: Quality;

  @Field(() => Credits)
  creditsPerMinute!: bigint;
}

@ObjectType()
export class AddonPrice {
  @Field(() => Addon)
  addon!: Addon;

  @Field(() => Credits)
  creditsPerMinute!: bigint;
}

@ObjectType()
export class PriceList {
  @Field(() => [QualityPrice], { description: 'Lowest quality first.' })
  processing!: QualityPrice[];

  @Field(() => [AddonPrice])
  addons!: AddonPrice[];

  @Field(() => Credits)
  storageCreditsPerGbMonth!: bigint;

  @Field(() => Int, { description: 'Per API key.' })
  freePlaybackTokensPerDay!: number;
}

@ObjectType()
export class QuoteLine {
  @Field(() => QuoteItem)
  item!: QuoteItem;

  @Field(() => Quality)
  quality!: Quality;

  @Field(() => Credits)
  ratePerMinute!: bigint;

  @Field(() => Credits)
  amount!: bigint;
}

@ObjectType({ description: 'A binding price. Until it expires, a purchase locks exactly its total.' })
export class Quote {
  @Field(() => ID)
  id!: string;

  @Field(() => ID, { description: 'vid_…' })
  videoId!: string;

  @Field(() => Quality, { description: 'The charged quality, never above what the source supports.' })
  quality!: Quality;

  @Field(() => [QuoteLine])
  lines!: QuoteLine[];

  @Field(() => Credits)
  total!: bigint;

  @Field(() => Float)
  durationSeconds!: number;

  @Field(() => DateTime)
  expiresAt!: Date;

  @Field(() => Credits, {
    description: 'What MASTER adds because CREATIVE is short; "0" if CREATIVE suffices.',
  })
  fromMaster!: bigint;

  @Field(() => Credits, {
    description: 'The credits missing from CREATIVE now, and from MASTER if CREATIVE draws from it; "0" if none are.',
  })
  missing!: bigint;
}
