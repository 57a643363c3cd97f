import { useApolloClient } from '@apollo/client/react';
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import type { LedgerFilterInput, LedgerRowFragment } from '../../generated/graphql.js';
import { LedgerPages } from './LedgerPages.js';

interface LedgerList {
  /** Undefined until the first answer. */
  readonly entries: readonly LedgerRowFragment[] | undefined;
  readonly hasMore: boolean;
  readonly loading: boolean;
  readonly error: unknown;
  readonly loadMore: () => void;
  readonly reload: () => void;
}

/**
 * The entries that a filter lets through.
 *
 * @param version changes when something was booked: what is new is then put on top.
 */
export function useLedger(filter: LedgerFilterInput, version: string | undefined): LedgerList {
  const client = useApolloClient();
  // The same filter is another object each time.
  const wanted = JSON.stringify(filter);
  const pages = useMemo(() => new LedgerPages(client, JSON.parse(wanted) as LedgerFilterInput), [client, wanted]);
  const { page, loading, error } = useSyncExternalStore(pages.subscribe, pages.read);

  useEffect(() => {
    if (version !== undefined) void pages.refresh();
  }, [pages, version]);

  return {
    entries: page?.entries,
    hasMore: page?.hasMore ?? false,
    loading,
    error,
    loadMore: () => void pages.more(),
    reload: () => void pages.refresh(),
  };
}
