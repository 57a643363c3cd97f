import { words } from '#words/bin.js';
import type { ApolloClient } from '@apollo/client';
import { lineOf } from '../session/failures.js';
import { EmptyBinDocument, type EmptyBinMutation } from '../generated/graphql.js';
import { showToast } from '../parts/toasts.js';
import { withProgressToast } from '../parts/inBatches.js';

/**
 * Deletes for good what is in the bin now, a hundred videos per request. A toast says how far it is, and can stop it
 * between two requests.
 *
 * @param total how many there are
 */
export async function emptyBin(client: ApolloClient, total: number): Promise<void> {
  let done = 0;
  try {
    const isStopped = await withProgressToast(words.toast.emptying(0, total), async (signal, update) => {
      for (let until: string | null = null, remaining = 1; remaining > 0 && !signal.aborted;) {
        const answer: { data?: EmptyBinMutation | null | undefined } = await client.mutate({
          mutation: EmptyBinDocument,
          variables: { until },
        });
        if (!answer.data) break;
        ({ until, remaining } = answer.data.emptyBin);
        done += answer.data.emptyBin.deleted;
        update(words.toast.emptying(done, done + remaining));
      }
      return signal.aborted;
    });
    showToast({ title: isStopped ? words.toast.emptiedSome(done, total) : words.toast.emptied(done) });
  } catch (error) {
    showToast({
      kind: 'bad',
      title: words.toast.couldNotEmpty,
      message: `${words.toast.emptiedSome(done, total)}. ${lineOf(error)}`,
    });
  }
}
