import { Arg, Ctx, FieldResolver, Int, Resolver, Root } from 'type-graphql';

import type { GraphqlContext } from '../context.js';
import { Credits } from '../scalars/credits.js';
import { Processing, Rendition, Upload, Video } from '../types/video.js';
import { VideoActivityConnection, type VideoActivityKind } from '../types/videoActivity.js';
import { connectionOfRows, pageSize } from '../views/connectionView.js';
import { processingView, renditionView, uploadView } from '../views/videoView.js';

/** Fields of a video from other tables, loaded together for all videos of a request. */
@Resolver(() => Video)
export class VideoFieldsResolver {
  @FieldResolver(() => [Rendition], { description: 'Best first.' })
  async renditions(@Root() video: Video, @Ctx() context: GraphqlContext): Promise<Rendition[]> {
    return (await context.loaders.renditions.load(video)).map(renditionView);
  }

  @FieldResolver(() => Processing, { nullable: true })
  async processing(@Root() video: Video, @Ctx() context: GraphqlContext): Promise<Processing | null> {
    const processing = await context.loaders.processing.load(video);
    return processing && processingView(processing);
  }

  @FieldResolver(() => VideoActivityConnection, {
    description:
      'Newest first: what happened and what was changed (kept for 90 days, unless the operator chose otherwise), actions of support, and views per day.',
  })
  async activity(
    @Root() video: Video,
    @Ctx() context: GraphqlContext,
    @Arg('first', () => Int, { defaultValue: 20, description: '1 to 100.' }) first: number,
    @Arg('after', () => String, { nullable: true }) after: string | null | undefined,
  ): Promise<VideoActivityConnection> {
    const page = { first: pageSize(first) + 1, after: after ?? null };
    const found = await context.reads().videoActivity.page(video.accountId, video.uuid, page);
    return connectionOfRows(found, first, ({ kind, actor, actorName, at, views }) => ({
      kind: kind as VideoActivityKind,
      actor,
      actorName,
      at,
      views,
    }));
  }

  @FieldResolver(() => Credits, { description: 'The total cost of processing it so far.' })
  cost(@Root() video: Video, @Ctx() context: GraphqlContext): Promise<bigint> {
    return context.loaders.videoCost.load(video);
  }

  @FieldResolver(() => Int, { description: 'Plays in the last 30 days, today included (UTC).' })
  recentPlays(@Root() video: Video, @Ctx() context: GraphqlContext): Promise<number> {
    return context.loaders.recentPlays.load(video);
  }

  @FieldResolver(() => Upload, { nullable: true, description: 'While the upload is incomplete.' })
  async upload(@Root() video: Video, @Ctx() context: GraphqlContext): Promise<Upload | null> {
    if (video.status !== 'awaiting_upload' && video.status !== 'uploading') return null;
    const upload = await context.loaders.upload.load(video);
    return upload && uploadView(upload);
  }
}
