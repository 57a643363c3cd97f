import type { ApolloClient, ObservableQuery } from '@apollo/client';
import { nextTask } from '../lib/nextTask.js';

/**
 * Refetches all queries of the open pages, or those in `names`. A response that is still on its way when its query is
 * sent again is dropped, since it may be outdated.
 */
export function refresh(client: ApolloClient, names?: ReadonlySet<string>): void {
  const queries = [...client.getObservableQueries('active')];
  void readAll(queries.filter(({ queryName = '' }) => !names || names.has(queryName)));
}

/** Sending a query takes a phone 20 ms, and a page has several, so each is sent in its own task. */
async function readAll(queries: readonly ObservableQuery[]): Promise<void> {
  for (const query of queries) {
    // The page may have been left meanwhile, or no longer need it.
    if (query.hasObservers() && query.options.fetchPolicy !== 'standby') readAgain(query);
    await nextTask();
  }
}

/**
 * What a page shows stays until its data has changed. Otherwise the page would also be rendered when its query is sent,
 * which changes nothing on it, and takes a phone a tenth of a second.
 */
function readAgain(query: ObservableQuery): void {
  const { options } = query;
  const { notifyOnNetworkStatusChange } = options;
  // Without data, the page says that it is loading again.
  if (query.getCurrentResult().data !== undefined) options.notifyOnNetworkStatusChange = false;
  // The page shows what failed.
  query.refetch().catch(() => undefined);
  options.notifyOnNetworkStatusChange = notifyOnNetworkStatusChange;
}
