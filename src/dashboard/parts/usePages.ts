import { useCallback, useMemo, useState } from 'react';
import { useAction } from './useAction.js';

interface Identified {
  readonly id: string;
}

interface Connection<Item> {
  readonly edges: readonly { readonly node: Item }[];
  readonly pageInfo: { readonly endCursor: string | null; readonly hasNextPage: boolean };
}

interface Options<Item> {
  /** The first page, kept current by a watched query; undefined until it is loaded. */
  readonly head: Connection<Item> | undefined;
  /** Identifies the filter: another filter is another list. */
  readonly listKey: string;
  /** Reads the page after `after`, without the cache (see below). */
  readonly fetchPage: (after: string) => Promise<Connection<Item> | undefined>;
}

interface Pages<Item> {
  readonly items: readonly Item[];
  readonly hasMore: boolean;
  /** Whether further pages than the first were read, and the last one too. */
  readonly isReadToEnd: boolean;
  readonly loadingMore: boolean;
  readonly moreError: unknown;
  readonly loadMore: () => void;
  /** Drops all pages but the first. */
  readonly startAgain: () => void;
}

interface Rest<Item> {
  readonly listKey: string;
  readonly items: readonly Item[];
  readonly pageInfo: Connection<Item>['pageInfo'];
}

/**
 * A list of any length: its first page is watched, the following pages are read once and kept unchanged.
 *
 * A watched connection of ten thousand rows would be read completely on each change of one of them. A visible row
 * watches itself in the cache instead.
 */
export function usePages<Item extends Identified>({ head, listKey, fetchPage }: Options<Item>): Pages<Item> {
  const [kept, setRest] = useState<Rest<Item>>();
  const rest = kept?.listKey === listKey ? kept : undefined;
  const end = (rest ?? head)?.pageInfo;
  const first = useMemo(() => head && nodesOf(head), [head]);

  const { run, busy, error } = useAction(async () => {
    if (!end?.endCursor || !first) return;
    const page = await fetchPage(end.endCursor);
    if (!page) throw new Error('the service answered without data');
    // Keep the first page as it was, so that rows that later move out of it stay in the list.
    setRest({ listKey, items: [...(rest?.items ?? first), ...nodesOf(page)], pageInfo: page.pageInfo });
  });

  const items = useMemo(() => {
    if (!first || !rest) return first ?? [];
    return onceEach([...first, ...rest.items]);
  }, [first, rest]);

  return {
    items,
    hasMore: end?.hasNextPage ?? false,
    isReadToEnd: rest?.pageInfo.hasNextPage === false,
    loadingMore: busy,
    moreError: error,
    loadMore: useCallback(() => void run(), [run]),
    startAgain: useCallback(() => setRest(undefined), []),
  };
}

/** Each at its first place. A row whose place changes between two pages, as in a list by plays, may come on both. */
export function onceEach<Item extends Identified>(items: readonly Item[]): Item[] {
  const seen = new Set<string>();
  return items.filter(({ id }) => !seen.has(id) && seen.add(id));
}

function nodesOf<Item>({ edges }: Connection<Item>): Item[] {
  return edges.map(({ node }) => node);
}
