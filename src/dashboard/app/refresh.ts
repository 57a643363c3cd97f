import type { ApolloClient, ObservableQuery } from '@apollo/client';

/**
 * Refetches all queries of the open pages, or those in `names`. Drops responses that are still on their way, since they
 * may be outdated.
 */
export function refresh(client: ApolloClient, names?: ReadonlySet<string>): void {
  void client.refetchQueries({
    include: 'active',
    // Not `true`: the client would then keep the results of earlier refreshes, whichever comes last.
    onQueryUpdated: (query) => (!names || names.has(query.queryName ?? '') ? readAgain(query) : false),
  });
}

/**
 * What a page shows stays until its data has changed. Otherwise the page would also be rendered when its query is sent,
 * which changes nothing on it, and takes a phone a tenth of a second.
 */
function readAgain(query: ObservableQuery): ReturnType<ObservableQuery['refetch']> {
  const { options } = query;
  const { notifyOnNetworkStatusChange } = options;
  // Without data, the page says that it is loading again.
  if (query.getCurrentResult().data !== undefined) options.notifyOnNetworkStatusChange = false;
  const response = query.refetch();
  options.notifyOnNetworkStatusChange = notifyOnNetworkStatusChange;
  return response;
}
