import { Field, Int, ObjectType } from 'type-graphql';

@ObjectType()
export class VideoTag {
  @Field(() => String)
  tag!: string;

  @Field(() => Int, { description: 'How many videos have it.' })
  videos!: number;
}
