import { words } from '#words/bin.js';
import type { ApolloClient } from '@apollo/client';
import { lineOf } from '../app/words.js';
import { EmptyBinDocument, type EmptyBinMutation } from '../generated/graphql.js';
import { showProgress, showToast } from '../parts/toasts.js';

/**
 * Deletes for good what is in the bin now, a hundred videos per request. A toast says how far it is, and can end it between
 * two of them.
 *
 * @param total how many there are
 */
export async function emptyBin(client: ApolloClient, total: number): Promise<void> {
  let done = 0;
  const cancelling = new AbortController();
  const toast = showProgress({
    title: words.toast.emptying(0, total),
    action: { label: words.toast.cancel, run: () => cancelling.abort() },
  });
  try {
    for (let until: string | null = null, remaining = 1; remaining > 0 && !cancelling.signal.aborted;) {
      const answer: { data?: EmptyBinMutation | null | undefined } = await client.mutate({
        mutation: EmptyBinDocument,
        variables: { until },
      });
      if (!answer.data) break;
      ({ until, remaining } = answer.data.emptyBin);
      done += answer.data.emptyBin.deleted;
      toast.update(words.toast.emptying(done, done + remaining));
    }
    showToast({ title: cancelling.signal.aborted ? words.toast.emptiedSome(done, total) : words.toast.emptied(done) });
  } catch (error) {
    showToast({
      kind: 'bad',
      title: words.toast.couldNotEmpty,
      message: `${words.toast.emptiedSome(done, total)}. ${lineOf(error)}`,
    });
  } finally {
    toast.close();
  }
}
