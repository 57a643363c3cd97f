import { Arg, Ctx, FieldResolver, ID, Mutation, Resolver, Root } from 'type-graphql';

import { isUuid } from '../../../domain/shared/ids.js';
import { AppError } from '../../../errors.js';
import { Access } from '../access.js';
import { accountIdIn, type GraphqlContext } from '../context.js';
import { videoUuid } from '../ids.js';
import { Caption, ChapterInput, UpdateCaptionsInput, UploadCaptionsInput } from '../types/caption.js';
import { Video } from '../types/video.js';
import { captionView, videoView } from '../views/videoView.js';

@Resolver(() => Video)
export class CaptionsResolver {
  @FieldResolver(() => [Caption], { description: 'In menu order; at most 20.' })
  async captions(@Root() video: Video, @Ctx() context: GraphqlContext): Promise<Caption[]> {
    return (await context.loaders.captions.load(video)).map(captionView);
  }

  @Access('active', 'manage')
  @Mutation(() => Video, {
    description:
      'Adds captions, or replaces those with the same label. They appear from the next view on. An invalid file is refused with its line number.',
  })
  async uploadCaptions(
    @Ctx() context: GraphqlContext,
    @Arg('videoId', () => ID) videoId: string,
    @Arg('input', () => UploadCaptionsInput) input: UploadCaptionsInput,
  ): Promise<Video> {
    const uuid = videoUuid(videoId);
    await context.services.captions.upload(accountIdIn(context), uuid, input);
    return changed(context, uuid);
  }

  @Access('active', 'manage')
  @Mutation(() => Video)
  async updateCaptions(
    @Ctx() context: GraphqlContext,
    @Arg('videoId', () => ID) videoId: string,
    @Arg('captionId', () => ID) captionId: string,
    @Arg('input', () => UpdateCaptionsInput) input: UpdateCaptionsInput,
  ): Promise<Video> {
    const uuid = videoUuid(videoId);
    await context.services.captions.update(accountIdIn(context), uuid, captionUuid(captionId), input);
    return changed(context, uuid);
  }

  @Access('active', 'manage')
  @Mutation(() => Video)
  async deleteCaptions(
    @Ctx() context: GraphqlContext,
    @Arg('videoId', () => ID) videoId: string,
    @Arg('captionId', () => ID) captionId: string,
  ): Promise<Video> {
    const uuid = videoUuid(videoId);
    await context.services.captions.delete(accountIdIn(context), uuid, captionUuid(captionId));
    return changed(context, uuid);
  }

  @Access('active', 'manage')
  @Mutation(() => Video, { description: 'Replaces all chapters, at most 200; an empty list removes them.' })
  async setChapters(
    @Ctx() context: GraphqlContext,
    @Arg('videoId', () => ID) videoId: string,
    @Arg('chapters', () => [ChapterInput]) chapters: ChapterInput[],
  ): Promise<Video> {
    const uuid = videoUuid(videoId);
    await context.services.captions.setChapters(accountIdIn(context), uuid, chapters);
    return changed(context, uuid);
  }
}

async function changed(context: GraphqlContext, uuid: string): Promise<Video> {
  return videoView(await context.services.videos.get(accountIdIn(context), uuid));
}

function captionUuid(id: string): string {
  const uuid = id.toLowerCase();
  if (!isUuid(uuid)) throw new AppError('NOT_FOUND', 'Caption track not found.');
  return uuid;
}
