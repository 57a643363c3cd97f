import { useCallback, useMemo, useState } from 'react';
import { useAction } from './useAction.js';

interface PageOf<Item> {
  readonly items: readonly Item[];
  readonly endCursor: string | null;
  readonly hasNextPage: boolean;
}

interface Options<Item> {
  /** The first page, kept current by a watched query; undefined until it is loaded. */
  readonly head: PageOf<Item> | undefined;
  /** Identifies the filter: another filter is another list. */
  readonly listKey: string;
  readonly keyOf: (item: Item) => string;
  /** Reads the page after `after`, without the cache (see below). */
  readonly fetchPage: (after: string) => Promise<PageOf<Item>>;
}

interface Pages<Item> {
  readonly items: readonly Item[];
  readonly hasMore: boolean;
  readonly loadingMore: boolean;
  readonly moreError: unknown;
  readonly loadMore: () => void;
}

interface Rest<Item> extends PageOf<Item> {
  readonly listKey: string;
}

/**
 * A list of any length: its first page is watched, the following pages are read once and kept unchanged.
 *
 * A watched connection of ten thousand rows would be read completely on each change of one of them. A visible row
 * watches itself in the cache instead.
 */
export function usePages<Item>({ head, listKey, keyOf, fetchPage }: Options<Item>): Pages<Item> {
  const [kept, setRest] = useState<Rest<Item>>();
  const rest = kept?.listKey === listKey ? kept : undefined;
  const end = rest ?? head;

  const { run, busy, error } = useAction(async () => {
    if (!end?.endCursor || !head) return;
    const page = await fetchPage(end.endCursor);
    // Keep the first page as it was, so that rows that later move out of it stay in the list.
    setRest({ ...page, listKey, items: [...(rest ?? head).items, ...page.items] });
  });

  const items = useMemo(() => {
    if (!head || !rest) return head?.items ?? [];
    const first = new Set(head.items.map(keyOf));
    return [...head.items, ...rest.items.filter((item) => !first.has(keyOf(item)))];
  }, [head, rest, keyOf]);

  return {
    items,
    hasMore: end?.hasNextPage ?? false,
    loadingMore: busy,
    moreError: error,
    loadMore: useCallback(() => void run(), [run]),
  };
}
