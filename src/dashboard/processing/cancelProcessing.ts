import { words } from '#words/cancelling.js';
import type { ApolloClient } from '@apollo/client';
import { refresh } from '../session/refresh.js';
import { CancelProcessingDocument, type CancellationResult } from '../generated/graphql.js';
import { showToast, UNDO_MS } from '../parts/toasts.js';
import { inBatchesWithToast, nameSome, type Outcome, sayMissing, withIds } from '../parts/inBatches.js';

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

/** Takes back the processing of videos with which no worker has begun, and says what became of the others. */
export async function cancelProcessing(
  client: ApolloClient,
  videos: readonly { readonly id: string; readonly title: string }[],
): Promise<void> {
  const ids = videos.map(({ id }) => id);
  const results = new Map<string, CancellationResult>();
  let outcome: Outcome;
  try {
    outcome = await inBatchesWithToast(ids, words.progress, async (some) => {
      const { data } = await client.mutate({ mutation: CancelProcessingDocument, variables: { ids: some } });
      for (const { videoId, result } of data?.cancelProcessing ?? []) results.set(videoId, result);
      return some.filter((id) => results.get(id) === 'CANCELLED');
    });
  } finally {
    refresh(client, CHANGED);
  }
  const { done, refused, unknown, left, error } = outcome;
  const rest = withIds(videos, [...unknown, ...left]);
  if (refused.length + rest.length === 0) {
    showToast({ kind: 'good', title: words.cancelled(done.length), message: words.creditsBack });
    return;
  }
  const named = (result: CancellationResult, say: (names: string) => string): string[] => {
    // The service leaves out what does not exist any more.
    const some = refused.filter((id) => (results.get(id) ?? 'OVER') === result);
    return some.length > 0 ? [say(nameSome(videos, some))] : [];
  };
  showToast({
    kind: error === undefined ? 'plain' : 'bad',
    title: titleOf(outcome, ids.length),
    message: [
      ...named('BEGUN', words.continuing),
      ...named('LIMIT_REACHED', words.limited),
      ...named('OVER', words.over),
      sayMissing(videos, { refused: [], unknown, left, error }, words.notCancelled),
    ]
      .filter(Boolean)
      .join(' '),
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
