import type { ReactNode } from 'react';
import type { VideoSort } from '../../generated/graphql.js';
import classes from '../VideoRow.module.css';

interface Props {
  readonly sort: VideoSort;
  /** The two orders of this column; a press chooses the first, and the next one the other. */
  readonly orders: readonly [VideoSort, VideoSort];
  /** Which of the orders goes up. */
  readonly ascending: VideoSort;
  readonly onSort: (sort: VideoSort) => void;
  readonly children: ReactNode;
}

/** The header of a column by which the list can be sorted, as in the WAI-ARIA practices. */
export function SortableHeader({ sort, orders: [first, second], ascending, onSort, children, ...rest }: Props) {
  const isSorted = sort === first || sort === second;
  return (
    <span
      {...rest}
      role="columnheader"
      aria-sort={isSorted ? (sort === ascending ? 'ascending' : 'descending') : undefined}
    >
      <button type="button" className={classes['sort']} onClick={() => onSort(sort === first ? second : first)}>
        {children}
        <i aria-hidden="true">{isSorted ? (sort === ascending ? '↑' : '↓') : ''}</i>
      </button>
    </span>
  );
}
