import { useCallback, useMemo, useState } from 'react';

export interface Selection<Item> {
  readonly selected: readonly Item[];
  readonly has: (id: string) => boolean;
  /** With `range`, toggles everything from the last one up to this one. */
  readonly toggle: (id: string, range?: boolean) => void;
  readonly selectAll: () => void;
  readonly clear: () => void;
}

/** Which of `items` are selected. Items that leave the list are no longer selected. */
export function useSelection<Item extends { readonly id: string }>(items: readonly Item[]): Selection<Item> {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const [last, setLast] = useState<string>();

  const toggle = useCallback(
    (id: string, range = false) => {
      const next = new Set(ids);
      const [from, to] = [items.findIndex((item) => item.id === last), items.findIndex((item) => item.id === id)];
      if (range && from >= 0 && to >= 0) {
        for (const item of items.slice(Math.min(from, to), Math.max(from, to) + 1)) next.add(item.id);
      } else if (!next.delete(id)) next.add(id);
      setIds(next);
      setLast(id);
    },
    [ids, items, last],
  );
  const clear = useCallback(() => setIds(new Set()), []);
  const selected = useMemo(() => (ids.size === 0 ? [] : items.filter(({ id }) => ids.has(id))), [ids, items]);

  // The same until something changes, so that rows are not rendered again each time the list around them is.
  return useMemo(
    () => ({
      selected,
      has: (id) => ids.has(id),
      toggle,
      selectAll: () => setIds(new Set(items.map(({ id }) => id))),
      clear,
    }),
    [selected, ids, items, toggle, clear],
  );
}
