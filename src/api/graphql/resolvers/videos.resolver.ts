import { Arg, Ctx, Float, ID, Int, Mutation, Query, Resolver } from 'type-graphql';

import { parseVideoId } from '../../../domain/shared/ids.js';
import { Access } from '../access.js';
import { accountIdIn, type GraphqlContext } from '../context.js';
import { videoUuid } from '../ids.js';
import { DateTime } from '../scalars/dateTime.js';
import { VideoSort, VideoStatus } from '../types/enums.js';
import { CreatedVideo, PreviewToken, Video, VideoConnection } from '../types/video.js';
import { CreateVideoInput, MetadataFilterInput, UpdateVideoInput } from '../types/videoInput.js';
import { uploadView, videoConnectionView, videoView } from '../views/videoView.js';

@Resolver()
export class VideosResolver {
  @Access('owner')
  @Query(() => VideoConnection)
  async videos(
    @Ctx() context: GraphqlContext,
    @Arg('first', () => Int, { defaultValue: 20, description: '1 to 100.' }) first: number,
    @Arg('after', () => String, { nullable: true }) after: string | null | undefined,
    @Arg('status', () => VideoStatus, { nullable: true }) status: VideoStatus | null | undefined,
    @Arg('q', () => String, {
      nullable: true,
      description: 'Beginnings of words in the title, or the whole id of a video.',
    })
    q: string | null | undefined,
    @Arg('tag', () => String, { nullable: true }) tag: string | null | undefined,
    @Arg('createdFrom', () => DateTime, { nullable: true, description: 'From this time on.' })
    createdFrom: Date | null | undefined,
    @Arg('createdTo', () => DateTime, { nullable: true, description: 'Before this time.' })
    createdTo: Date | null | undefined,
    @Arg('metadata', () => MetadataFilterInput, { nullable: true }) metadata: MetadataFilterInput | null | undefined,
    @Arg('sort', () => VideoSort, { defaultValue: VideoSort.NEWEST }) sort: VideoSort,
    @Arg('countUpTo', () => Int, {
      nullable: true,
      description: '1 to 20000. Where `totalCount` would be null, the videos are counted, up to this many.',
    })
    countUpTo: number | null | undefined,
  ): Promise<VideoConnection> {
    const filters = { status, q, tag, createdFrom, createdTo, metadata, countUpTo };
    return videoConnectionView(
      await context.reads().videos.list(accountIdIn(context), { first, after, sort, ...filters }),
    );
  }

  @Access('owner')
  @Query(() => Video, { nullable: true, description: 'Null if the caller has no such video.' })
  async video(
    @Ctx() context: GraphqlContext,
    @Arg('id', () => ID, { description: 'vid_… or UUID.' }) id: string,
  ): Promise<Video | null> {
    const uuid = parseVideoId(id);
    const video = uuid && (await context.services.videos.find(accountIdIn(context), uuid));
    return video ? videoView(video) : null;
  }

  // `autoProcess` spends credits without asking again, so it needs the access that spending needs.
  @Access('verified')
  @Mutation(() => CreatedVideo)
  async createVideo(
    @Ctx() context: GraphqlContext,
    @Arg('input', () => CreateVideoInput) input: CreateVideoInput,
  ): Promise<CreatedVideo> {
    const { video, upload } = await context.services.videos.create(accountIdIn(context), input);
    return { video: videoView(video), upload: uploadView(upload) };
  }

  @Access('active', 'manage')
  @Mutation(() => Video)
  async updateVideo(
    @Ctx() context: GraphqlContext,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => UpdateVideoInput) input: UpdateVideoInput,
  ): Promise<Video> {
    const { metadata, ...changes } = input;
    const video = await context.services.videos.update(accountIdIn(context), videoUuid(id), {
      ...changes,
      metadata: metadata && Object.fromEntries(metadata.map(({ key, value }) => [key, value])),
    });
    return videoView(video);
  }

  @Access('active', 'manage')
  @Mutation(() => PreviewToken)
  async createPreviewToken(
    @Ctx() context: GraphqlContext,
    @Arg('videoId', () => ID) videoId: string,
  ): Promise<PreviewToken> {
    const { token, expiresAt } = await context.services.playback.previewToken(accountIdIn(context), videoUuid(videoId));
    return { token, expiresAt, manifestUrl: `/v1/video/playback/manifest/${token}` };
  }

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
