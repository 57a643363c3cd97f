import { words } from '#words/bin.js';
import type { ApolloClient } from '@apollo/client';
import { isTestMode } from '../session/mode.js';
import { refresh } from '../session/refresh.js';
import { lineOf } from '../session/failures.js';
import {
  DeleteVideosDocument,
  RestoreVideosDocument,
  type RenditionQuality,
  type VideoStatus,
} from '../generated/graphql.js';
import { showToast, UNDO_MS } from '../parts/toasts.js';
import { noteDeleted, noteLeaving, noteRequestEnded, noteRestored } from './hiddenVideos.js';
import { inBatchesWithToast, nameSome, type Outcome, sayMissing, withIds } from '../parts/inBatches.js';
import { isInProgress } from '../lib/videoStates.js';

const LISTS = new Set(['Videos', 'VideoTags', 'DeletedVideos', 'Home', 'NeedsYou', 'NewestVideos', 'RunningJobs']);

export interface DeletableVideo {
  readonly id: string;
  readonly title: string;
  readonly status: VideoStatus;
  readonly playableRungs: readonly RenditionQuality[];
}

/** Whether the video has no file yet: there is nothing to restore, so deleting it is final. */
export function isUnfinished({ status }: DeletableVideo): boolean {
  return status === 'AWAITING_UPLOAD' || status === 'UPLOADING';
}

/** Whether deleting asks first: something was paid for, or cannot be restored. */
export function mustAsk(video: DeletableVideo): boolean {
  // A video that failed later may have renditions that were paid for.
  const isPaid = video.status === 'READY' || video.playableRungs.length > 0;
  return isTestMode || isUnfinished(video) || isPaid || isInProgress(video);
}

/**
 * Moves videos to the bin, and offers to undo it. They are hidden at once. Nothing waits in this page: once the service
 * has responded, leaving the page changes nothing.
 *
 * @throws what ended it early; what was deleted until then can be undone
 */
export async function moveToBin(client: ApolloClient, videos: readonly DeletableVideo[]): Promise<void> {
  const { error } = await moveSome(client, videos);
  if (error !== undefined) throw error;
}

/** As `moveToBin`, for callers without a place for an error. */
export async function moveToBinOrSay(client: ApolloClient, videos: readonly DeletableVideo[]): Promise<void> {
  const outcome = await moveSome(client, videos);
  const { error, unknown, left } = outcome;
  if (error === undefined) return;
  const rest = withIds(videos, [...unknown, ...left]);
  showToast({
    kind: 'bad',
    title: videos.length === 1 ? words.toast.couldNotDelete : words.toast.couldNotDeleteAll,
    message: videos.length === 1 ? lineOf(error) : sayMissing(videos, outcome, words.toast.notDeleted),
    action: { label: words.toast.tryAgain, run: () => void moveToBinOrSay(client, rest) },
  });
}

async function moveSome(client: ApolloClient, videos: readonly DeletableVideo[]): Promise<Outcome> {
  const ids = videos.map(({ id }) => id);
  noteLeaving(ids);
  let outcome: Outcome;
  try {
    outcome = await inBatchesWithToast(ids, words.toast.deleting, async (some) => {
      await client.mutate({ mutation: DeleteVideosDocument, variables: { ids: some } });
      noteDeleted(some);
      for (const id of some) client.cache.evict({ id: `Video:${id}` });
      // Those that were not there any more are deleted, too.
      return some;
    });
  } finally {
    noteRequestEnded(ids);
    refresh(client, LISTS);
  }
  if (outcome.done.length > 0 || outcome.error === undefined) sayDeleted(client, videos, outcome);
  return outcome;
}

function sayDeleted(
  client: ApolloClient,
  videos: readonly DeletableVideo[],
  { done, unknown, left, error }: Outcome,
): void {
  const deleted = withIds(videos, done);
  // Test mode has no bin.
  const restorable = isTestMode ? [] : deleted.filter((video) => !isUnfinished(video));
  const [first] = videos;
  const title =
    unknown.length + left.length > 0
      ? words.toast.deletedSome(done.length, videos.length)
      : videos.length === 1
        ? words.toast.deleted(first?.title ?? '')
        : words.toast.videosDeleted(videos.length);
  // A failure has its own toast, with the names.
  const isCancelled = left.length > 0 && error === undefined;
  const lines = [
    ...(isCancelled ? [words.toast.notDeleted(nameSome(videos, left))] : []),
    ...(restorable.length > 0 ? [words.toast.inBin] : []),
  ];
  showToast({
    title,
    ...(lines.length > 0 && { message: lines.join(' ') }),
    ...(restorable.length > 0 && {
      durationMs: UNDO_MS,
      action: { label: words.toast.undo, run: () => void undo(client, restorable) },
    }),
  });
}

/** Takes videos out of the bin. */
export async function restoreVideos(client: ApolloClient, ids: readonly string[]): Promise<Outcome> {
  try {
    return await inBatchesWithToast(ids, words.toast.restoring, async (some) => {
      const { data } = await client.mutate({ mutation: RestoreVideosDocument, variables: { ids: some } });
      noteRestored(data?.restoreVideos ?? []);
      return data?.restoreVideos ?? [];
    });
  } finally {
    refresh(client, LISTS);
  }
}

async function undo(client: ApolloClient, videos: readonly DeletableVideo[]): Promise<void> {
  const outcome = await restoreVideos(
    client,
    videos.map(({ id }) => id),
  );
  const { done, refused, unknown, left, error } = outcome;
  if (refused.length + unknown.length + left.length === 0) return;
  const rest = withIds(videos, [...unknown, ...left]);
  showToast({
    kind: error === undefined ? 'plain' : 'bad',
    title: error === undefined ? words.toast.restoredSome(done.length, videos.length) : words.toast.couldNotRestore,
    message: sayMissing(videos, outcome, words.toast.notRestored),
    ...(rest.length > 0 && { action: { label: words.toast.tryAgain, run: () => void undo(client, rest) } }),
  });
}
