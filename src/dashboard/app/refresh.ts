import type { ApolloClient } from '@apollo/client';

/**
 * Refetches all queries of the open pages, or those in `names`. Drops responses that are still on their way, since they
 * may be outdated.
 */
export function refresh(client: ApolloClient, names?: ReadonlySet<string>): void {
  void client.refetchQueries({
    include: 'active',
    // Not `true`: the client would then keep the results of earlier refreshes, whichever comes last.
    onQueryUpdated: (query) => (!names || names.has(query.queryName ?? '') ? query.refetch() : false),
  });
}
