import { useQuery } from '@apollo/client/react';
import { createContext, use, type ReactNode } from 'react';
import { RunningJobsDocument, type VideoRowFragment } from '../generated/graphql.js';

export interface RunningJobs {
  /** Undefined until the first response. Running ones first, then queued ones; at most a page of each. */
  readonly videos: readonly VideoRowFragment[] | undefined;
  readonly count: number;
  /** How many of them wait. */
  readonly queued: number;
  readonly error: unknown;
  readonly reload: () => void;
}

const RunningJobsContext = createContext<RunningJobs | undefined>(undefined);

/** Reads the jobs that run or wait now, once for the navigation and Home. The stream of changes keeps them current. */
export function RunningJobsProvider({ children }: { children: ReactNode }) {
  const { data, error, refetch } = useQuery(RunningJobsDocument);
  // A row whose status has changed stays in the cached list until the list is read again.
  const running = data?.running.edges.filter(({ node }) => node.status === 'PROCESSING') ?? [];
  const queued = data?.queued.edges.filter(({ node }) => node.status === 'QUEUED') ?? [];
  const jobs = {
    videos: data && [...running, ...queued].map(({ node }) => node),
    count: (data?.running.totalCount ?? 0) + (data?.queued.totalCount ?? 0),
    queued: data?.queued.totalCount ?? 0,
    error,
    reload: () => void refetch(),
  };
  return <RunningJobsContext value={jobs}>{children}</RunningJobsContext>;
}

/** Only for pages behind the sign-in. */
export function useRunningJobs(): RunningJobs {
  const jobs = use(RunningJobsContext);
  if (!jobs) throw new Error('useRunningJobs outside of Shell');
  return jobs;
}
