import { Arg, Ctx, ID, Int, Mutation, Query, Resolver } from 'type-graphql';

import { videoIdOf } from '../../../domain/shared/ids.js';
import { Access } from '../access.js';
import { accountIdIn, type GraphqlContext } from '../context.js';
import { videoUuid } from '../ids.js';
import { DateTime } from '../scalars/dateTime.js';
import { BinConnection, EmptiedBin, type BinnedVideo } from '../types/bin.js';
import { Video } from '../types/video.js';
import { pageSize, connectionOfRows } from '../views/connectionView.js';
import { videoView } from '../views/videoView.js';
import type { BinPage } from '../../../domain/media/library/bin.service.js';
import type { BinRow } from '../../../domain/media/library/bin.sql.js';

/** Deleting videos, and restoring them within a week. */
@Resolver()
export class BinResolver {
  @Access('owner')
  @Query(() => BinConnection, { description: 'Deleted videos that can be restored, newest first.' })
  async bin(
    @Ctx() context: GraphqlContext,
    @Arg('first', () => Int, { defaultValue: 20, description: '1 to 100.' }) first: number,
    @Arg('after', () => String, { nullable: true }) after: string | null | undefined,
  ): Promise<BinConnection> {
    const page = { first: pageSize(first) + 1, after: after ?? null };
    return binConnectionView(await context.services.bin.page(accountIdIn(context), page), first);
  }

  @Access('active', 'manage')
  @Mutation(() => ID, {
    description:
      'Moves a video to the bin for 7 days: the API and players no longer find it. Ends its job and releases its escrow. A video whose file has not arrived is deleted for good. Returns the id.',
  })
  async deleteVideo(@Ctx() context: GraphqlContext, @Arg('id', () => ID) id: string): Promise<string> {
    const uuid = videoUuid(id);
    await context.services.bin.put(accountIdIn(context), uuid);
    return videoIdOf(uuid);
  }

  @Access('active', 'manage')
  @Mutation(() => [ID], {
    description: 'As `deleteVideo`, for 1 to 100 videos. Returns the ids of those that were found.',
  })
  async deleteVideos(@Ctx() context: GraphqlContext, @Arg('ids', () => [ID]) ids: string[]): Promise<string[]> {
    const deleted = await context.services.bin.putAll(accountIdIn(context), ids.map(videoUuid));
    return deleted.map(videoIdOf);
  }

  @Access('active', 'manage')
  @Mutation(() => Video, {
    description:
      'Restores a video from the bin. If it was being processed when it was deleted, it waits to be processed again.',
  })
  async restoreVideo(@Ctx() context: GraphqlContext, @Arg('id', () => ID) id: string): Promise<Video> {
    return videoView(await context.services.bin.restore(accountIdIn(context), videoUuid(id)));
  }

  @Access('active', 'manage')
  @Mutation(() => [ID], {
    description:
      'As `restoreVideo`, for 1 to 100 videos. Returns the ids of those that are out of the bin. A repetition returns the same.',
  })
  async restoreVideos(@Ctx() context: GraphqlContext, @Arg('ids', () => [ID]) ids: string[]): Promise<string[]> {
    const restored = await context.services.bin.restoreAll(accountIdIn(context), ids.map(videoUuid));
    return restored.map(videoIdOf);
  }

  @Access('active', 'manage')
  @Mutation(() => ID, { description: 'Deletes a video in the bin for good. Returns the id.' })
  async deleteVideoForever(@Ctx() context: GraphqlContext, @Arg('id', () => ID) id: string): Promise<string> {
    const uuid = videoUuid(id);
    await context.services.bin.deleteForever(accountIdIn(context), uuid);
    return videoIdOf(uuid);
  }

  @Access('active', 'manage')
  @Mutation(() => EmptiedBin, { description: 'Empties the bin: deletes up to 100 videos per call for good.' })
  emptyBin(
    @Ctx() context: GraphqlContext,
    @Arg('until', () => DateTime, {
      nullable: true,
      description: '`until` of the previous call. Videos that were deleted since then stay in the bin.',
    })
    until: Date | null | undefined,
  ): Promise<EmptiedBin> {
    return context.services.bin.empty(accountIdIn(context), until ?? null);
  }
}

function binConnectionView({ rows, totalCount, storedBytes }: BinPage, first: number): BinConnection {
  return { ...connectionOfRows(rows, first, binnedVideoView), totalCount, storedBytes: Number(storedBytes) };
}

function binnedVideoView(row: BinRow): BinnedVideo {
  return {
    id: videoIdOf(row.id),
    title: row.title,
    status: row.status,
    durationSeconds: row.duration_ms === null ? null : Number(row.duration_ms) / 1000,
    storedBytes: Number(row.stored_bytes),
    deletedAt: new Date(row.deleted_at),
    purgeAt: new Date(row.purge_after),
  };
}
