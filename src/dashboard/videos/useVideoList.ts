import type { ApolloClient } from '@apollo/client';
import { useApolloClient, useFragment, useQuery } from '@apollo/client/react';
import { useCallback, useMemo } from 'react';
import {
  CountVideosDocument,
  ListedVideoFragmentDoc,
  VideosDocument,
  type CountVideosQueryVariables,
  type ListedVideoFragment,
  type VideoSort,
  type VideoStatus,
} from '../generated/graphql.js';
import { momentOf } from '../lib/localDays.js';
import { usePages } from '../parts/usePages.js';
import { useHiddenVideos } from './hiddenVideos.js';

const FIRST_PAGE = 50;
/** The service's maximum, so that scrolling waits as little as possible. */
const NEXT_PAGE = 100;

/** A row, with what was asked for by its columns. */
export type ListedVideo = ListedVideoFragment & { readonly recentPlays?: number; readonly cost?: string };

export interface Narrowing {
  readonly status: VideoStatus | null;
  readonly q: string;
  readonly tag: string;
  /** `YYYY-MM-DD`, in the reader's own time zone; both days are included. */
  readonly from: string;
  readonly to: string;
  /** `key` or `key:value`. */
  readonly metadata: string;
  readonly sort: VideoSort;
}

/** What rows cost to read, so that only shown columns ask for it. */
interface Extras {
  readonly withPlays: boolean;
  readonly withCost: boolean;
}

export interface VideoList {
  /** Undefined until the first response; the previous filter's rows stay until the next ones arrive. */
  readonly videos: readonly ListedVideo[] | undefined;
  /** Null if it is not counted. */
  readonly total: number | null;
  /** How many were missed although the list was read to its end: they moved to a page that was read before. */
  readonly missed: number;
  readonly hasMore: boolean;
  readonly loadingMore: boolean;
  readonly error: unknown;
  /** Why the next page failed. */
  readonly moreError: unknown;
  readonly loadMore: () => void;
  readonly reload: () => void;
}

/** A list of videos, page by page, without those that are deleted or being deleted. */
export function useVideoList(narrowing: Narrowing, { withPlays, withCost }: Extras): VideoList {
  const { status, q, tag, from, to, metadata, sort } = narrowing;
  const client = useApolloClient();
  const variables = useMemo(
    () => ({
      status,
      q: q || null,
      tag: tag || null,
      createdFrom: from ? momentOf(from, 0) : null,
      createdTo: to ? momentOf(to, 1) : null,
      metadata: metadata ? metadataFilter(metadata) : null,
      sort,
      withPlays,
      withCost,
    }),
    [status, q, tag, from, to, metadata, sort, withPlays, withCost],
  );
  const { data, previousData, error, refetch } = useQuery(VideosDocument, {
    variables: { ...variables, first: FIRST_PAGE },
  });
  const connection = (data ?? previousData)?.videos;
  const hidden = useHiddenVideos();

  const pages = usePages({
    head: connection,
    listKey: JSON.stringify(variables),
    fetchPage: useCallback(
      async (after: string) => {
        const answer = await client.query({
          query: VideosDocument,
          variables: { ...variables, first: NEXT_PAGE, after },
          fetchPolicy: 'no-cache',
        });
        return answer.data?.videos;
      },
      [client, variables],
    ),
  });
  const { startAgain } = pages;
  const videos = useMemo(() => pages.items.filter(({ id }) => !hidden.has(id)), [pages.items, hidden]);
  const total = connection?.totalCount ?? null;
  const counted = useCount(variables, pages.items.length, pages.isReadToEnd && total === null);

  return {
    ...pages,
    videos: connection && videos,
    total,
    missed: pages.isReadToEnd ? Math.max(0, (total ?? counted) - pages.items.length) : 0,
    error,
    reload: useCallback(() => {
      startAgain();
      void refetch();
    }, [refetch, startAgain]),
  };
}

/** Counts this many beyond those read: more than can move while a list is read. */
const MORE = 100;
/** The service's maximum. A longer list is not counted. */
const MOST_COUNTED = 20_000;

/** Counts a list once it is read to its end, if its total is unknown. */
function useCount(variables: Omit<CountVideosQueryVariables, 'upTo'>, read: number, isWanted: boolean): number {
  const { status, q, tag, createdFrom, createdTo, metadata } = variables;
  const { data } = useQuery(CountVideosDocument, {
    variables: { status, q, tag, createdFrom, createdTo, metadata, upTo: read + MORE },
    skip: !isWanted || read + MORE > MOST_COUNTED,
    fetchPolicy: 'no-cache',
  });
  return data?.counted.totalCount ?? 0;
}

/** A value may contain colons; a key cannot. */
function metadataFilter(text: string): { key: string; value: string | null } {
  const at = text.indexOf(':');
  return at < 0 ? { key: text, value: null } : { key: text.slice(0, at), value: text.slice(at + 1) };
}

/** The current state of a row: its page's data, with later changes. */
export function useLiveVideo(video: ListedVideo): ListedVideo {
  const { data } = useFragment({
    fragment: ListedVideoFragmentDoc,
    fragmentName: 'ListedVideo',
    from: { __typename: 'Video', id: video.id },
  });
  return { ...video, ...(data as Partial<ListedVideo>) };
}

/** What the cache knows beyond the page that the video came with; empty if nothing has changed since. */
export function readLive(client: ApolloClient, id: string): Partial<ListedVideo> {
  return (
    client.cache.readFragment({ id: `Video:${id}`, fragment: ListedVideoFragmentDoc, fragmentName: 'ListedVideo' }) ??
    {}
  );
}
