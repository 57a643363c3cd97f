import { useState } from 'react';
import { useViewer } from '../../app/viewer.js';
import { keep, readKept } from '../../lib/keptInBrowser.js';

/** The columns that can be chosen, in their order. The title is always there. */
export const COLUMNS = ['status', 'quality', 'length', 'size', 'plays', 'cost', 'added'] as const;
export type Column = (typeof COLUMNS)[number];

const AT_FIRST: readonly Column[] = ['status', 'quality', 'size', 'added'];
const KEPT = 'videos.columns';

/** The columns of the list, kept per user in this browser. */
export function useColumns(): readonly [readonly Column[], (column: Column, isShown: boolean) => void] {
  const { id } = useViewer();
  const [columns, setColumns] = useState(() => columnsIn(readKept(KEPT, id)));
  return [
    columns,
    (column, isShown) => {
      const next = COLUMNS.filter((one) => (one === column ? isShown : columns.includes(one)));
      setColumns(next);
      keep(KEPT, id, next);
    },
  ];
}

function columnsIn(kept: unknown): readonly Column[] {
  return Array.isArray(kept) ? COLUMNS.filter((column) => kept.includes(column)) : AT_FIRST;
}
