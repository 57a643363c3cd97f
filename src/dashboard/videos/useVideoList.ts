import type { ApolloClient } from '@apollo/client';
import { useApolloClient, useFragment, useQuery } from '@apollo/client/react';
import { useCallback, useMemo } from 'react';
import {
  ListedVideoFragmentDoc,
  VideosDocument,
  type ListedVideoFragment,
  type VideosQuery,
  type VideoSort,
  type VideoStatus,
} from '../generated/graphql.js';
import { usePages } from '../parts/usePages.js';
import { useGoneVideos } from './pendingDeletes.js';

const FIRST_PAGE = 50;
/** What the service allows at most: whoever scrolls wants to see rows, not to wait for them. */
const NEXT_PAGE = 100;

export type ListedVideo = ListedVideoFragment;

export interface Narrowing {
  readonly status: VideoStatus | null;
  readonly q: string;
  readonly tag: string;
  readonly sort: VideoSort;
}

export interface VideoList {
  /** Undefined until the first answer; the rows of the narrowing before stay until the next are here. */
  readonly videos: readonly ListedVideo[] | undefined;
  /** Null where it is not counted. */
  readonly total: number | null;
  readonly hasMore: boolean;
  readonly loadingMore: boolean;
  readonly error: unknown;
  /** Why the next page did not come. */
  readonly moreError: unknown;
  readonly loadMore: () => void;
  readonly reload: () => void;
}

/** One list of videos, page by page, without those that are gone or about to be. */
export function useVideoList({ status, q, tag, sort }: Narrowing): VideoList {
  const client = useApolloClient();
  const variables = useMemo(() => ({ status, q: q || null, tag: tag || null, sort }), [status, q, tag, sort]);
  const { data, previousData, error, refetch } = useQuery(VideosDocument, {
    variables: { ...variables, first: FIRST_PAGE },
  });
  const connection = (data ?? previousData)?.videos;
  const gone = useGoneVideos();

  const pages = usePages({
    head: useMemo(() => connection && pageOf(connection), [connection]),
    listKey: JSON.stringify(variables),
    keyOf: idOf,
    fetchPage: useCallback(
      async (after: string) => {
        const answer = await client.query({
          query: VideosDocument,
          variables: { ...variables, first: NEXT_PAGE, after },
          fetchPolicy: 'no-cache',
        });
        if (!answer.data) throw new Error('the service answered without data');
        return pageOf(answer.data.videos);
      },
      [client, variables],
    ),
  });
  const videos = useMemo(
    () => pages.items.filter(({ id }) => !gone.leaving.has(id) && !gone.left.has(id)),
    [pages.items, gone],
  );
  const total = connection?.totalCount ?? null;

  return {
    ...pages,
    videos: connection && videos,
    // Those that have left are not counted any more; those that are leaving still are.
    total: total === null ? null : Math.max(0, total - gone.leaving.size),
    error,
    reload: useCallback(() => void refetch(), [refetch]),
  };
}

/** A row as it is at this moment: as it came with its page, and what has changed since. */
export function useLiveVideo(video: ListedVideo): ListedVideo {
  const { data } = useFragment({
    fragment: ListedVideoFragmentDoc,
    fragmentName: 'ListedVideo',
    from: { __typename: 'Video', id: video.id },
  });
  return { ...video, ...(data as Partial<ListedVideo>) };
}

/** What the cache knows of a video beyond the page it came with; nothing where it has not changed since. */
export function readLive(client: ApolloClient, id: string): Partial<ListedVideo> {
  return (
    client.cache.readFragment({ id: `Video:${id}`, fragment: ListedVideoFragmentDoc, fragmentName: 'ListedVideo' }) ??
    {}
  );
}

function pageOf({ edges, pageInfo }: VideosQuery['videos']) {
  return {
    items: edges.map(({ node }) => node),
    endCursor: pageInfo.endCursor,
    hasNextPage: pageInfo.hasNextPage,
  };
}

function idOf({ id }: { readonly id: string }): string {
  return id;
}
