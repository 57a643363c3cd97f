import { useQuery } from '@apollo/client/react';
import { RunningJobsDocument, type VideoRowFragment } from '../generated/graphql.js';

interface RunningJobs {
  /** Undefined until the first response. Running ones first, then queued ones; at most a page of each. */
  readonly videos: readonly VideoRowFragment[] | undefined;
  readonly count: number;
  readonly error: unknown;
  readonly reload: () => void;
}

/** Jobs that run or wait now. The page's one stream of changes keeps them current. */
export function useRunningJobs(): RunningJobs {
  const { data, error, refetch } = useQuery(RunningJobsDocument);
  // A row whose status has changed stays in the cached list until the list is read again.
  const running = data?.running.edges.filter(({ node }) => node.status === 'PROCESSING') ?? [];
  const queued = data?.queued.edges.filter(({ node }) => node.status === 'QUEUED') ?? [];
  return {
    videos: data && [...running, ...queued].map(({ node }) => node),
    count: (data?.running.totalCount ?? 0) + (data?.queued.totalCount ?? 0),
    error,
    reload: () => void refetch(),
  };
}
