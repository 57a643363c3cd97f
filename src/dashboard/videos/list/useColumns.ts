import { useState } from 'react';
import { useViewer } from '../../session/viewer.js';
import { keep, readKept } from '../../session/keptInBrowser.js';

/** The columns that can be chosen, in their order. The title is always there. */
export const COLUMNS = ['status', 'quality', 'length', 'size', 'plays', 'cost', 'added'] as const;
export type Column = (typeof COLUMNS)[number];

const AT_FIRST: readonly Column[] = ['status', 'quality', 'size', 'added'];
const KEPT = 'videos.columns';

export interface Columns {
  readonly shown: readonly Column[];
  /**
   * Whether the user has chosen them. Then every window shows all of them: a tablet scrolls sideways, and a phone has
   * them below the title. Otherwise, most columns leave their space to the titles there.
   */
  readonly areChosen: boolean;
  readonly choose: (column: Column, isShown: boolean) => void;
}

/** The columns of the list, kept per user in this browser. */
export function useColumns(): Columns {
  const { id } = useViewer();
  const [chosen, setChosen] = useState(() => columnsIn(readKept(KEPT, id)));
  const shown = chosen ?? AT_FIRST;
  return {
    shown,
    areChosen: chosen !== undefined,
    choose: (column, isShown) => {
      const next = COLUMNS.filter((one) => (one === column ? isShown : shown.includes(one)));
      setChosen(next);
      keep(KEPT, id, next);
    },
  };
}

function columnsIn(kept: unknown): readonly Column[] | undefined {
  return Array.isArray(kept) ? COLUMNS.filter((column) => kept.includes(column)) : undefined;
}
