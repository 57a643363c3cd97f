import { Arg, Ctx, ID, Mutation, Query, Resolver, Field, Int, ObjectType } from 'type-graphql';

import { videoIdOf } from '../../../domain/shared/ids.js';
import { Access } from '../access.js';
import { accountIdIn, type GraphqlContext } from '../context.js';
import { videoUuid } from '../ids.js';

@ObjectType()
class VideoTag {
  @Field(() => String)
  tag!: string;

  @Field(() => Int, { description: 'How many videos have it.' })
  videos!: number;
}

/** Actions on several videos at once. */
@Resolver()
export class VideoBatchesResolver {
  @Access('owner')
  @Query(() => [VideoTag], { description: 'The most used first. At most 100.' })
  videoTags(@Ctx() context: GraphqlContext): Promise<VideoTag[]> {
    return context.services.videos.tags(accountIdIn(context));
  }

  @Access('active', 'manage')
  @Mutation(() => [ID], {
    description:
      'Adds tags to 1 to 100 videos, and removes others. Returns the ids of the changed videos. A video that would have more than 20 tags stays unchanged.',
  })
  async changeVideoTags(
    @Ctx() context: GraphqlContext,
    @Arg('ids', () => [ID]) ids: string[],
    @Arg('add', () => [String], { defaultValue: [] }) add: string[],
    @Arg('remove', () => [String], { defaultValue: [] }) remove: string[],
  ): Promise<string[]> {
    const change = { add, remove };
    const changed = await context.services.videos.changeTags(accountIdIn(context), ids.map(videoUuid), change);
    return changed.map(videoIdOf);
  }
}
