import { words } from '#words/cancelling.js';
import type { ApolloClient } from '@apollo/client';
import { refresh } from '../app/refresh.js';
import { CancelProcessingDocument } from '../generated/graphql.js';
import { showToast } from '../parts/toasts.js';
import { inBatchesWithToast, nameSome, type Outcome, withReason } from './inBatches.js';

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
  showToast({
    kind: error === undefined ? 'plain' : 'bad',
    title: titleOf(outcome, ids.length),
    message: withReason(words.continuing(nameSome(videos, others)), error),
  });
}

function titleOf({ done, error }: Outcome, total: number): string {
  if (error !== undefined) return words.couldNotCancel;
  return done.length === 0 ? words.none : words.cancelledSome(done.length, total);
}
