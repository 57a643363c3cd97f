import type { ApolloClient } from '@apollo/client';

/**
 * Asks again for what the open pages show: for all of it, or for the queries that `names` has. An answer that is still
 * on its way is dropped, since it may be from before.
 */
export function refresh(client: ApolloClient, names?: ReadonlySet<string>): void {
  void client.refetchQueries({
    include: 'active',
    // Not `true`: the client would then keep the answers of earlier refreshes, whichever comes last.
    onQueryUpdated: (query) => (!names || names.has(query.queryName ?? '') ? query.refetch() : false),
  });
}
