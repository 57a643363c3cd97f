import { Arg, Ctx, ID, Int, Mutation, Query, Resolver } from 'type-graphql';

import { Access } from '../access.js';
import { viewerIn, type GraphqlContext } from '../context.js';
import { videoUuid } from '../ids.js';
import { FailedVideoConnection } from '../types/supportMoney.js';
import { Video } from '../types/video.js';
import { connectionOfRows, pageSize } from '../views/connectionView.js';
import { failedVideoView } from '../views/supportMoneyView.js';
import { videoView } from '../views/videoView.js';

/** Failed videos, and what staff can do about them. */
@Resolver()
export class SupportVideosResolver {
  @Access('support')
  @Query(() => FailedVideoConnection, { description: 'Of all accounts, the latest failure first.' })
  async failedVideos(
    @Ctx() context: GraphqlContext,
    @Arg('first', () => Int, { defaultValue: 20, description: '1 to 100.' }) first: number,
    @Arg('after', () => String, { nullable: true }) after: string | null | undefined,
  ): Promise<FailedVideoConnection> {
    const page = { first: pageSize(first) + 1, after: after ?? null };
    return connectionOfRows(await context.reads().failedVideos.list(page), first, failedVideoView);
  }

  @Access('support')
  @Mutation(() => Video, { description: 'Processes a failed video again, with its owner’s credits at today’s price.' })
  async retryFailedVideo(
    @Ctx() context: GraphqlContext,
    @Arg('accountId', () => ID) accountId: string,
    @Arg('videoId', () => ID) videoId: string,
    @Arg('reason', () => String) reason: string,
  ): Promise<Video> {
    const order = { actorId: viewerIn(context).userId, accountId, reason, videoId: videoUuid(videoId) };
    const purchase = await context.services.failedVideos.retry(order);
    return videoView(await context.services.videos.get(accountId, purchase.videoId));
  }
}
