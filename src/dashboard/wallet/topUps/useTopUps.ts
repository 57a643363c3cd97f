import { useQuery } from '@apollo/client/react';
import { TopUpsDocument, type TopUpRowFragment } from '../../generated/graphql.js';
import { useAction } from '../../parts/useAction.js';

const PAGE = 25;

interface TopUpList {
  /** Undefined until the first response. */
  readonly topUps: readonly TopUpRowFragment[] | undefined;
  readonly hasMore: boolean;
  readonly loadingMore: boolean;
  readonly error: unknown;
  readonly moreError: unknown;
  readonly loadMore: () => void;
  readonly reload: () => void;
}

/** The account's top-ups, newest first, page by page. */
export function useTopUps(): TopUpList {
  const { data, error, fetchMore, refetch } = useQuery(TopUpsDocument, { variables: { first: PAGE } });
  const connection = data?.topUps;
  const more = useAction(() => fetchMore({ variables: { after: connection?.pageInfo.endCursor } }));
  return {
    topUps: connection?.edges.map(({ node }) => node),
    hasMore: connection?.pageInfo.hasNextPage ?? false,
    loadingMore: more.busy,
    error,
    moreError: more.error,
    loadMore: () => void more.run(),
    reload: () => void refetch(),
  };
}
