import { Arg, Ctx, ID, Int, Mutation, Query, Resolver } from 'type-graphql';

import { Access } from '../access.js';
import type { GraphqlContext } from '../context.js';
import { VideoSort, VideoStatus } from '../types/enums.js';
import { CreatedVideo, PreviewToken, Video, VideoConnection } from '../types/video.js';
import { CreateVideoInput, UpdateVideoInput } from '../types/videoInput.js';

@Resolver()
export class VideosResolver {
  @Access('owner')
  @Query(() => VideoConnection)
  async videos(
    @Ctx() context: GraphqlContext,
    @Arg('first', () => Int, { defaultValue: 20, description: '1 to 100.' }) first: number,
    @Arg('after', () => String, { nullable: true }) after: string | null,
    @Arg('status', () => VideoStatus, { nullable: true }) status: VideoStatus | null,
    @Arg('q', () => String, { nullable: true, description: 'Words in the title.' }) q: string | null,
    @Arg('tag', () => String, { nullable: true }) tag: string | null,
    @Arg('sort', () => VideoSort, { defaultValue: VideoSort.NEWEST }) sort: VideoSort,
  ): Promise<VideoConnection> {
    throw new Error(`not yet ${String([context, first, after, status, q, tag, sort])}`);
  }

  @Access('owner')
  @Query(() => Video, { nullable: true, description: 'Null where the caller has no such video.' })
  async video(
    @Ctx() context: GraphqlContext,
    @Arg('id', () => ID, { description: 'vid_… or UUID.' }) id: string,
  ): Promise<Video | null> {
    throw new Error(`not yet ${String([context, id])}`);
  }

  @Access('active')
  @Mutation(() => CreatedVideo)
  async createVideo(
    @Ctx() context: GraphqlContext,
    @Arg('input', () => CreateVideoInput) input: CreateVideoInput,
  ): Promise<CreatedVideo> {
    throw new Error(`not yet ${String([context, input])}`);
  }

  @Access('active')
  @Mutation(() => Video)
  async updateVideo(
    @Ctx() context: GraphqlContext,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => UpdateVideoInput) input: UpdateVideoInput,
  ): Promise<Video> {
    throw new Error(`not yet ${String([context, id, input])}`);
  }

  @Access('active')
  @Mutation(() => ID, { description: 'Ends its job, gives its escrow back, and ends its grants. Returns the id.' })
  async deleteVideo(@Ctx() context: GraphqlContext, @Arg('id', () => ID) id: string): Promise<string> {
    throw new Error(`not yet ${String([context, id])}`);
  }

  @Access('active')
  @Mutation(() => PreviewToken)
  async createPreviewToken(
    @Ctx() context: GraphqlContext,
    @Arg('videoId', () => ID) videoId: string,
  ): Promise<PreviewToken> {
    throw new Error(`not yet ${String([context, videoId])}`);
  }
}
