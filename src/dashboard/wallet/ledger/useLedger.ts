import { useApolloClient } from '@apollo/client/react';
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import type { LedgerFilterInput, LedgerRowFragment } from '../../generated/graphql.js';
import { LedgerPages } from './LedgerPages.js';

interface LedgerList {
  /** Undefined until the first response. */
  readonly entries: readonly LedgerRowFragment[] | undefined;
  readonly hasMore: boolean;
  readonly loading: boolean;
  readonly error: unknown;
  readonly loadMore: () => void;
  readonly reload: () => void;
}

/**
 * The entries that match a filter.
 *
 * @param version changes after each posting; new entries are then added on top
 */
export function useLedger(filter: LedgerFilterInput, version: string | undefined): LedgerList {
  const client = useApolloClient();
  // The same filter is a new object on each render.
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
