import { Arg, Ctx, ID, Mutation, Resolver } from 'type-graphql';

import { Access } from '../access.js';
import type { GraphqlContext } from '../context.js';
import { Quality } from '../types/enums.js';
import { Quote } from '../types/pricing.js';
import { Video } from '../types/video.js';

@Resolver()
export class ProcessingResolver {
  @Access('active')
  @Mutation(() => Quote, { description: 'A binding price for processing a measured video.' })
  async createQuote(
    @Ctx() context: GraphqlContext,
    @Arg('videoId', () => ID) videoId: string,
    @Arg('quality', () => Quality) quality: Quality,
    @Arg('branding', () => Boolean, { defaultValue: false }) branding: boolean,
    @Arg('encryption', () => Boolean, { defaultValue: false }) encryption: boolean,
  ): Promise<Quote> {
    throw new Error(`not yet ${String([context, videoId, quality, branding, encryption])}`);
  }

  @Access('verified')
  @Mutation(() => Video, { description: 'Accepts a quote: locks its total from CREATIVE and queues the video.' })
  async processVideo(@Ctx() context: GraphqlContext, @Arg('quoteId', () => ID) quoteId: string): Promise<Video> {
    throw new Error(`not yet ${String([context, quoteId])}`);
  }

  @Access('verified')
  @Mutation(() => Video, { description: 'Processes a failed video again, at the same quality and its price of today.' })
  async retryVideo(@Ctx() context: GraphqlContext, @Arg('id', () => ID) id: string): Promise<Video> {
    throw new Error(`not yet ${String([context, id])}`);
  }
}
