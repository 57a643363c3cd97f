import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';

import type { GraphqlContext } from '../context.js';
import { Processing, Rendition, Upload, Video } from '../types/video.js';
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

  @FieldResolver(() => Upload, { nullable: true, description: 'While the upload is incomplete.' })
  async upload(@Root() video: Video, @Ctx() context: GraphqlContext): Promise<Upload | null> {
    if (video.status !== 'awaiting_upload' && video.status !== 'uploading') return null;
    const upload = await context.loaders.upload.load(video);
    return upload && uploadView(upload);
  }
}
