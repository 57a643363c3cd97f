import { Arg, Ctx, Float, ID, Mutation, Resolver } from 'type-graphql';

import { Access } from '../access.js';
import { accountIdIn, type GraphqlContext } from '../context.js';
import { videoUuid } from '../ids.js';
import { Video } from '../types/video.js';
import { videoView } from '../views/videoView.js';

@Resolver()
export class PostersResolver {
  @Access('active', 'manage')
  @Mutation(() => Video, {
    description:
      'Uses a moment of the video as its poster, or restores the one that processing chose. Send your own picture to ' +
      'PUT /uploads/posters/{id}: JPEG or PNG, at most 5 MB.',
  })
  async setPoster(
    @Ctx() context: GraphqlContext,
    @Arg('id', () => ID) id: string,
    @Arg('atSeconds', () => Float, { nullable: true, description: 'Null for the one that processing chose.' })
    atSeconds: number | null | undefined,
  ): Promise<Video> {
    const { posters, videos } = context.services;
    const [accountId, videoId] = [accountIdIn(context), videoUuid(id)];
    if (atSeconds == null) await posters.leave(accountId, videoId);
    else await posters.takeMoment(accountId, videoId, Math.round(atSeconds * 1000));
    return videoView(await videos.get(accountId, videoId));
  }
}
