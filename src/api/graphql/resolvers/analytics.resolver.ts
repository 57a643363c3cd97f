import { Arg, Ctx, FieldResolver, Query, Resolver, Root } from 'type-graphql';

import { Access } from '../access.js';
import { accountIdIn, type GraphqlContext } from '../context.js';
import { videoUuid } from '../ids.js';
import { Analytics, AnalyticsInput, RecentViews, TopVideo, TopVideosInput } from '../types/analytics.js';
import { analyticsView, topVideoView } from '../views/analyticsView.js';

@Resolver()
export class AnalyticsResolver {
  @Access('owner')
  @Query(() => Analytics, { description: 'How the videos are watched. New views appear within seconds.' })
  async analytics(
    @Ctx() context: GraphqlContext,
    @Arg('input', () => AnalyticsInput) input: AnalyticsInput,
  ): Promise<Analytics> {
    const { from, to, videoId, granularity, dimension } = input;
    const found = await context.reads().analytics.analytics(accountIdIn(context), {
      from,
      to,
      granularity,
      videoId: videoId === null || videoId === undefined ? null : videoUuid(videoId),
      dimension: dimension ?? null,
    });
    return analyticsView(found);
  }

  @Access('owner')
  @Query(() => [TopVideo], { description: 'The videos with the most views, including deleted ones.' })
  async topVideos(
    @Ctx() context: GraphqlContext,
    @Arg('input', () => TopVideosInput) { from, to, first }: TopVideosInput,
  ): Promise<TopVideo[]> {
    const accountId = accountIdIn(context);
    const videos = await context.reads().analytics.topVideos(accountId, { from, to, first });
    return videos.map((video) => topVideoView(accountId, video));
  }

  @Access('owner')
  @Query(() => RecentViews)
  recentViews(@Ctx() context: GraphqlContext): Promise<RecentViews> {
    return context.reads().analytics.recentViews(accountIdIn(context));
  }
}

@Resolver(() => TopVideo)
export class TopVideoFieldsResolver {
  @FieldResolver(() => String, { nullable: true, description: 'Null once nothing of a deleted video is kept.' })
  title(@Root() video: TopVideo, @Ctx() context: GraphqlContext): Promise<string | null> {
    return context.loaders.videoTitle.load(video);
  }
}
