import { Field, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';

import { DateTime } from '../scalars/dateTime.js';

export const BrandPosition = {
  TOP_LEFT: 'top_left',
  TOP_RIGHT: 'top_right',
  BOTTOM_LEFT: 'bottom_left',
  BOTTOM_RIGHT: 'bottom_right',
  CENTER: 'center',
} as const;
export type BrandPosition = (typeof BrandPosition)[keyof typeof BrandPosition];
registerEnumType(BrandPosition, { name: 'BrandPosition' });

@ObjectType({
  description: 'The logo that the branding add-on burns into videos whose processing is approved from now on.',
})
export class Brand {
  @Field(() => Int, { description: 'Grows with every change. Each purchase keeps the version that it was made with.' })
  version!: number;

  @Field(() => String, { description: "A PNG, for this session. Relative to the dashboard's own address." })
  logoUrl!: string;

  @Field(() => Int)
  logoWidth!: number;

  @Field(() => Int)
  logoHeight!: number;

  @Field(() => BrandPosition)
  position!: BrandPosition;

  @Field(() => Int, { description: 'Width of the logo, in percent of the picture’s width.' })
  widthPercent!: number;

  @Field(() => Int, { description: 'Distance from both edges of the corner, in percent of the picture’s width.' })
  marginPercent!: number;

  @Field(() => Int)
  opacityPercent!: number;

  @Field(() => DateTime)
  createdAt!: Date;
}

@InputType({ description: 'Whole percent.' })
export class BrandPlacementInput {
  @Field(() => BrandPosition)
  position!: BrandPosition;

  @Field(() => Int, { description: "2 to 50, of the picture's width." })
  widthPercent!: number;

  @Field(() => Int, { description: "0 to 20, of the picture's width." })
  marginPercent!: number;

  @Field(() => Int, { description: '5 to 100.' })
  opacityPercent!: number;
}
