import { useQuery } from '@apollo/client/react';
import { StaffWaitingDocument } from '../generated/graphql.js';

const POLL_MS = 30_000;

/** A count; with `isMore`, only that of the first page. */
interface Count {
  readonly count: number;
  readonly isMore: boolean;
}

export type Waiting = Readonly<
  Record<'alerts' | 'adjustments' | 'requests' | 'suspense' | 'missing' | 'failed' | 'webhooks', Count>
>;

interface Counted {
  readonly edges: readonly unknown[];
  readonly pageInfo: { readonly hasNextPage: boolean };
}

/** Work that waits for staff, refetched every half minute while the page is visible. */
export function useWaiting(): { waiting: Waiting | undefined; error: unknown; reload: () => void } {
  // Without the cache: counting must not shorten the open lists.
  const { data, error, refetch } = useQuery(StaffWaitingDocument, {
    fetchPolicy: 'no-cache',
    pollInterval: POLL_MS,
    skipPollAttempt: () => document.hidden,
  });
  const waiting = data && {
    alerts: countOf(data.alerts),
    adjustments: countOf(data.adjustmentRequests),
    requests: countOf(data.staffRequests),
    suspense: countOf(data.suspenseItems),
    missing: countOf(data.topUpsWithoutWebhook),
    failed: countOf(data.failedVideos),
    webhooks: countOf(data.webhookEvents),
  };
  return { waiting, error, reload: () => void refetch() };
}

function countOf({ edges, pageInfo }: Counted): Count {
  return { count: edges.length, isMore: pageInfo.hasNextPage };
}

/** "3", or "20+". */
export function showCount({ count, isMore }: Count): string {
  return isMore ? `${count}+` : String(count);
}
