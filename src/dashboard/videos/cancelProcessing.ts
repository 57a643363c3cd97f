import { words } from '#words/cancelling.js';
import type { ApolloClient } from '@apollo/client';
import { refresh } from '../app/refresh.js';
import { CancelProcessingDocument } from '../generated/graphql.js';
import { showToast, UNDO_MS } from '../parts/toasts.js';
import { inBatchesWithToast, nameSome, type Outcome, withIds, withReason } from './inBatches.js';

const CHANGED = new Set([
  'Videos',
  'Video',
  'VideoActivity',
  'VideoEncoding',
  'NewestVideos',
  'NeedsYou',
  'RunningJobs',
  'WalletUse',
]);

/** Takes back the processing of videos with which no worker has begun, and names the others. */
export async function cancelProcessing(
  client: ApolloClient,
  videos: readonly { readonly id: string; readonly title: string }[],
): Promise<void> {
  const ids = videos.map(({ id }) => id);
  let outcome: Outcome;
  try {
    outcome = await inBatchesWithToast(ids, words.progress, async (some) => {
      const { data } = await client.mutate({ mutation: CancelProcessingDocument, variables: { ids: some } });
      return data?.cancelProcessing ?? [];
    });
  } finally {
    refresh(client, CHANGED);
  }
  const { done, refused, left, error } = outcome;
  const others = [...refused, ...left];
  if (others.length === 0) {
    showToast({ kind: 'good', title: words.cancelled(done.length), message: words.creditsBack });
    return;
  }
  const rest = withIds(videos, left);
  showToast({
    kind: error === undefined ? 'plain' : 'bad',
    title: titleOf(outcome, ids.length),
    message: messageOf(outcome, nameSome(videos, others)),
    ...(rest.length > 0 && {
      durationMs: UNDO_MS,
      action: { label: words.tryAgain, run: () => void cancelProcessing(client, rest) },
    }),
  });
}

function titleOf({ done, error }: Outcome, total: number): string {
  if (error !== undefined) return words.couldNotCancel(total);
  return done.length === 0 ? words.none : words.cancelledSome(done.length, total);
}

/** That work on them has begun is known only if the service was asked for all of them. */
function messageOf({ left, error }: Outcome, names: string): string {
  const isKnown = error === undefined && left.length === 0;
  return isKnown ? words.continuing(names) : withReason(words.notCancelled(names), error);
}
