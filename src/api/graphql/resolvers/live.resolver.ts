import { Arg, ID, Resolver, Root, Subscription, type SubscribeResolverData } from 'type-graphql';

import { videoIdOf } from '../../../domain/shared/ids.js';
import { Access } from '../access.js';
import { accountIdIn, type GraphqlContext } from '../context.js';
import { videoUuid } from '../ids.js';
import { Video, VideoChange } from '../types/video.js';
import { Wallet } from '../types/wallet.js';
import { videoView } from '../views/videoView.js';
import { walletOf } from './wallet.resolver.js';

type Subscribing<Args = object> = SubscribeResolverData<unknown, Args, GraphqlContext>;

/**
 * Each subscription listens before its first read, so that no event is missed in between. Events carry only ids: the
 * data is read again for each one, for the subscribed account.
 */
@Resolver()
export class LiveResolver {
  @Access('owner')
  @Subscription(() => Video, {
    subscribe: ({ args, context }: Subscribing<{ videoId: string }>) => videoStates(context, videoUuid(args.videoId)),
    description: 'The current video, and again after every change. Ends when it is deleted.',
  })
  videoProgress(@Root() video: Video, @Arg('videoId', () => ID) _videoId: string): Video {
    return video;
  }

  @Access('owner')
  @Subscription(() => VideoChange, {
    subscribe: ({ context }: Subscribing) => videoChanges(context),
    description: "Every change of any of the caller's videos.",
  })
  videosChanged(@Root() change: VideoChange): VideoChange {
    return change;
  }

  @Access('owner')
  @Subscription(() => Wallet, {
    subscribe: ({ context }: Subscribing) => walletStates(context),
    description: 'The current wallet, and again after every change.',
  })
  walletChanged(@Root() wallet: Wallet): Wallet {
    return wallet;
  }
}

/** @throws VIDEO_NOT_FOUND */
async function videoStates(context: GraphqlContext, uuid: string): Promise<AsyncIterable<Video>> {
  const { videos, events } = context.services;
  const accountId = accountIdIn(context);
  const changes = events.subscribe(accountId, context.signal);
  const now = videoView(await videos.get(accountId, uuid));
  return (async function* states() {
    yield now;
    for await (const event of changes) {
      if (event.kind !== 'missed' && (event.kind !== 'video' || event.videoId !== uuid)) continue;
      const video = await videos.find(accountId, uuid);
      if (video === null) return;
      yield videoView(video);
    }
  })();
}

async function* videoChanges(context: GraphqlContext): AsyncGenerator<VideoChange> {
  const { videos, events } = context.services;
  const accountId = accountIdIn(context);
  for await (const event of events.subscribe(accountId, context.signal)) {
    if (event.kind === 'missed') yield { id: null, video: null };
    if (event.kind !== 'video') continue;
    const video = await videos.find(accountId, event.videoId);
    yield { id: videoIdOf(event.videoId), video: video && videoView(video) };
  }
}

async function* walletStates(context: GraphqlContext): AsyncGenerator<Wallet> {
  const accountId = accountIdIn(context);
  const changes = context.services.events.subscribe(accountId, context.signal);
  yield await walletOf(context, accountId);
  for await (const event of changes) {
    if (event.kind === 'wallet' || event.kind === 'missed') yield await walletOf(context, accountId);
  }
}
