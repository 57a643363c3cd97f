import { Arg, Ctx, Field, ID, Mutation, ObjectType, Resolver, Query } from 'type-graphql';

import { isUuid, videoIdOf } from '../../../domain/shared/ids.js';
import { AppError } from '../../../errors.js';
import { Access } from '../access.js';
import { accountIdIn, type GraphqlContext } from '../context.js';
import { videoUuid } from '../ids.js';
import { CancellationResult, Quality } from '../types/enums.js';
import { Quote, PriceList } from '../types/pricing.js';
import { Video } from '../types/video.js';
import { quoteView, priceListView } from '../views/pricingView.js';
import { videoView } from '../views/videoView.js';

@ObjectType({ description: 'What became of processing that was to be cancelled.' })
class ProcessingCancellation {
  @Field(() => ID)
  videoId!: string;

  @Field(() => CancellationResult)
  result!: CancellationResult;
}

@Resolver()
export class ProcessingResolver {
  @Access('active', 'manage')
  @Mutation(() => Quote, { description: 'A binding price for processing a measured video.' })
  async createQuote(
    @Ctx() context: GraphqlContext,
    @Arg('videoId', () => ID) videoId: string,
    @Arg('quality', () => Quality) quality: Quality,
    @Arg('branding', () => Boolean, { defaultValue: false }) branding: boolean,
    @Arg('encryption', () => Boolean, { defaultValue: false }) encryption: boolean,
    @Arg('normalizeLoudness', () => Boolean, { defaultValue: false }) normalizeLoudness: boolean,
  ): Promise<Quote> {
    const choice = { quality, branding, encryption, normalizeLoudness };
    return quoteView(await context.services.processing.quote(accountIdIn(context), videoUuid(videoId), choice));
  }

  @Access('verified', 'money')
  @Mutation(() => Video, { description: 'Accepts a quote: locks its total from CREATIVE and queues the video.' })
  async processVideo(@Ctx() context: GraphqlContext, @Arg('quoteId', () => ID) quoteId: string): Promise<Video> {
    if (!isUuid(quoteId)) throw new AppError('NOT_FOUND', 'Quote not found.');
    const accountId = accountIdIn(context);
    const { videoId } = await context.services.processing.process(accountId, quoteId);
    return videoView(await context.services.videos.get(accountId, videoId));
  }

  @Access('verified', 'money')
  @Mutation(() => Video, { description: 'Processes a failed video again, at the same quality and today’s price.' })
  async retryVideo(@Ctx() context: GraphqlContext, @Arg('id', () => ID) id: string): Promise<Video> {
    const accountId = accountIdIn(context);
    const { videoId } = await context.services.processing.retry(accountId, videoUuid(id));
    return videoView(await context.services.videos.get(accountId, videoId));
  }

  @Access('active', 'money')
  @Mutation(() => [ProcessingCancellation], {
    description:
      'Cancels processing of 1 to 100 videos if no worker has begun with it: returns the credits, and the videos are as before. Returns one result per existing video; a repetition returns the same.',
  })
  async cancelProcessing(
    @Ctx() context: GraphqlContext,
    @Arg('ids', () => [ID]) ids: string[],
  ): Promise<ProcessingCancellation[]> {
    const all = await context.services.processing.cancel(accountIdIn(context), ids.map(videoUuid));
    return all.map(({ videoId, result }) => ({ videoId: videoIdOf(videoId), result }));
  }
}

@Resolver()
export class PricingResolver {
  @Access('public')
  @Query(() => PriceList)
  priceList(): PriceList {
    return priceListView();
  }
}
