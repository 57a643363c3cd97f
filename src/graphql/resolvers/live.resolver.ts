import { Arg, Ctx, ID, Resolver, Root, Subscription } from 'type-graphql';

import { Access } from '../access.js';
import type { GraphqlContext } from '../context.js';
import { Video, VideoChange } from '../types/video.js';
import { Wallet } from '../types/wallet.js';

async function* notYet(): AsyncGenerator<unknown> {
  yield await Promise.reject(new Error('not yet'));
}

@Resolver()
export class LiveResolver {
  @Access('owner')
  @Subscription(() => Video, {
    subscribe: notYet,
    description: 'The video as it is now, and again after every change. Ends when it is deleted.',
  })
  videoProgress(
    @Root() video: Video,
    @Arg('videoId', () => ID) videoId: string,
    @Ctx() context: GraphqlContext,
  ): Video {
    return { ...video, ...[videoId, context] };
  }

  @Access('owner')
  @Subscription(() => VideoChange, { subscribe: notYet, description: "Every change of any of the caller's videos." })
  videosChanged(@Root() change: VideoChange): VideoChange {
    return change;
  }

  @Access('owner')
  @Subscription(() => Wallet, {
    subscribe: notYet,
    description: 'The wallet as it is now, and again after every change.',
  })
  walletChanged(@Root() wallet: Wallet): Wallet {
    return wallet;
  }
}
