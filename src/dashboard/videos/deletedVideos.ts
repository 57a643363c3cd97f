import { words } from '#words/bin.js';
import type { ApolloClient } from '@apollo/client';
import { isTestMode } from '../app/mode.js';
import { refresh } from '../app/refresh.js';
import { lineOf } from '../app/words.js';
import { DeleteVideosDocument, RestoreVideosDocument, type VideoStatus } from '../generated/graphql.js';
import { showToast, UNDO_MS } from '../parts/toasts.js';
import { noteDeleted, noteLeaving, noteRequestEnded, noteRestored } from './hiddenVideos.js';
import { inBatches } from './inBatches.js';
import { isInProgress } from './words.js';

const LISTS = new Set(['Videos', 'VideoTags', 'DeletedVideos', 'Home', 'NewestVideos', 'RunningJobs']);

export interface DeletableVideo {
  readonly id: string;
  readonly title: string;
  readonly status: VideoStatus;
}

/** Whether the video has no file yet: there is nothing to restore, so deleting it is final. */
export function isUnfinished({ status }: DeletableVideo): boolean {
  return status === 'AWAITING_UPLOAD' || status === 'UPLOADING';
}

/** Whether deleting asks first: something was paid for, or cannot be restored. */
export function mustAsk(video: DeletableVideo): boolean {
  return isTestMode || isUnfinished(video) || video.status === 'READY' || isInProgress(video);
}

/**
 * Moves videos to the bin, and offers to undo it. They are hidden at once. Nothing waits in this page: once the service
 * has responded, leaving the page changes nothing.
 */
export async function moveToBin(client: ApolloClient, videos: readonly DeletableVideo[]): Promise<void> {
  const ids = videos.map(({ id }) => id);
  noteLeaving(ids);
  try {
    await inBatches(ids, words.toast.deleting, async (some) => {
      await client.mutate({ mutation: DeleteVideosDocument, variables: { ids: some } });
      noteDeleted(some);
      for (const id of some) client.cache.evict({ id: `Video:${id}` });
    });
  } finally {
    noteRequestEnded(ids);
    refresh(client, LISTS);
  }
  // Test mode has no bin.
  const restorable = isTestMode ? [] : videos.filter((video) => !isUnfinished(video)).map(({ id }) => id);
  const [first] = videos;
  showToast({
    title: videos.length === 1 ? words.toast.deleted(first?.title ?? '') : words.toast.videosDeleted(videos.length),
    ...(restorable.length > 0 && {
      message: words.toast.inBin,
      durationMs: UNDO_MS,
      action: { label: words.toast.undo, run: () => void undo(client, restorable) },
    }),
  });
}

/** As `moveToBin`, for callers without a place for an error. */
export async function moveToBinOrSay(client: ApolloClient, videos: readonly DeletableVideo[]): Promise<void> {
  try {
    await moveToBin(client, videos);
  } catch (error) {
    showToast({
      kind: 'bad',
      title: videos.length === 1 ? words.toast.couldNotDelete : words.toast.couldNotDeleteAll,
      message: lineOf(error),
      action: { label: words.toast.tryAgain, run: () => void moveToBinOrSay(client, videos) },
    });
  }
}

/** Takes videos out of the bin. Returns how many were still there. */
export async function restoreVideos(client: ApolloClient, ids: readonly string[]): Promise<number> {
  let restored = 0;
  try {
    await inBatches(ids, words.toast.restoring, async (some) => {
      const { data } = await client.mutate({ mutation: RestoreVideosDocument, variables: { ids: some } });
      noteRestored(data?.restoreVideos ?? []);
      restored += data?.restoreVideos.length ?? 0;
    });
    return restored;
  } finally {
    refresh(client, LISTS);
  }
}

async function undo(client: ApolloClient, ids: readonly string[]): Promise<void> {
  try {
    await restoreVideos(client, ids);
  } catch (error) {
    showToast({
      kind: 'bad',
      title: words.toast.couldNotRestore,
      message: lineOf(error),
      action: { label: words.toast.tryAgain, run: () => void undo(client, ids) },
    });
  }
}
