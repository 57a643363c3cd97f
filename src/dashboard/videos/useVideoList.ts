import { useQuery } from '@apollo/client/react';
import { useAction } from '../parts/useAction.js';
import { VideosDocument, type VideoRowFragment, type VideoSort, type VideoStatus } from '../generated/graphql.js';

const PAGE = 20;

interface Narrowing {
  readonly status: VideoStatus | null;
  readonly q: string;
  readonly sort: VideoSort;
}

interface VideoList {
  /** Undefined until the first answer; the rows of the narrowing before stay until the next are here. */
  readonly videos: readonly VideoRowFragment[] | undefined;
  /** Null where it is not counted. */
  readonly total: number | null;
  readonly hasMore: boolean;
  readonly loadingMore: boolean;
  readonly error: unknown;
  readonly loadMore: () => void;
  readonly reload: () => void;
}

/** One list of videos, page by page. */
export function useVideoList({ status, q, sort }: Narrowing): VideoList {
  const { data, previousData, error, fetchMore, refetch } = useQuery(VideosDocument, {
    variables: { first: PAGE, status, q: q || null, sort },
  });
  const connection = (data ?? previousData)?.videos;
  const more = useAction(() => fetchMore({ variables: { after: connection?.pageInfo.endCursor } }));

  return {
    videos: connection?.edges.map(({ node }) => node),
    total: connection?.totalCount ?? null,
    hasMore: connection?.pageInfo.hasNextPage ?? false,
    loadingMore: more.busy,
    error: error ?? more.error,
    loadMore: () => void more.run(),
    reload: () => void refetch(),
  };
}
