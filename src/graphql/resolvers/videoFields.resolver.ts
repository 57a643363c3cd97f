import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';

import type { GraphqlContext } from '../context.js';
import { Processing, Rendition, Upload, Video } from '../types/video.js';

/** The parts of a video that lie in other tables: read together for all videos of a request. */
@Resolver(() => Video)
export class VideoFieldsResolver {
  @FieldResolver(() => [Rendition], { description: 'Best first.' })
  async renditions(@Root() video: Video, @Ctx() context: GraphqlContext): Promise<Rendition[]> {
    throw new Error(`not yet ${String([video, context])}`);
  }

  @FieldResolver(() => Processing, { nullable: true })
  async processing(@Root() video: Video, @Ctx() context: GraphqlContext): Promise<Processing | null> {
    throw new Error(`not yet ${String([video, context])}`);
  }

  @FieldResolver(() => Upload, { nullable: true, description: 'While the file is still to come.' })
  async upload(@Root() video: Video, @Ctx() context: GraphqlContext): Promise<Upload | null> {
    throw new Error(`not yet ${String([video, context])}`);
  }
}
