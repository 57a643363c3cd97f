import { words } from '#words/videos.js';
import { Checkbox, Skeleton } from '@mantine/core';
import type { CSSProperties, ReactNode } from 'react';
import type { VideoSort } from '../generated/graphql.js';
import { WindowedList } from '../parts/WindowedList.js';
import type { Column, Columns } from './list/useColumns.js';
import type { Selection } from './useSelection.js';
import type { ListedVideo, VideoList } from './useVideoList.js';
import { VideoRow } from './VideoRow.js';
import classes from './VideoRow.module.css';

const ROW_PX = 76;
/** The columns that can be sorted by; the more useful order first, which for numbers goes down. */
const TITLE_ORDERS = ['TITLE', 'TITLE_DESC'] as const;
const ORDERS: Partial<Record<Column, readonly [VideoSort, VideoSort]>> = {
  length: ['LONGEST', 'SHORTEST'],
  plays: ['MOST_PLAYED', 'LEAST_PLAYED'],
  cost: ['HIGHEST_COST', 'LOWEST_COST'],
  added: ['NEWEST', 'OLDEST'],
};
const WIDTHS_PX: Readonly<Record<Column, number>> = {
  status: 150,
  quality: 76,
  length: 76,
  size: 76,
  plays: 76,
  cost: 84,
  added: 104,
};
/** What a narrow window shows unless the owner has chosen columns. */
const NARROW: ReadonlySet<Column> = new Set(['status', 'added']);

interface Props {
  readonly list: VideoList;
  readonly selection: Selection<ListedVideo>;
  readonly columns: Columns;
  readonly sort: VideoSort;
  readonly onSort: (sort: VideoSort) => void;
}

/** The list as rows, to compare videos. */
export function VideoTable({ list, selection, columns: { shown: columns, areChosen }, sort, onSort }: Props) {
  const videos = list.videos ?? [];
  const isAll = selection.selected.length > 0 && selection.selected.length === videos.length;
  return (
    <div
      className={`panel ${classes['table']}`}
      role="table"
      aria-label={words.videoTable.videos}
      data-chosen={areChosen || undefined}
      aria-rowcount={list.total === null ? -1 : list.total + 1}
      style={
        {
          '--columns': widthsOf(columns),
          '--columns-px': `${columns.reduce((sum, one) => sum + WIDTHS_PX[one], 0)}px`,
          '--column-count': columns.length,
          '--narrow': widthsOf(columns.filter((one) => NARROW.has(one))),
        } as CSSProperties
      }
    >
      <div role="rowgroup">
        <div className={`${classes['row']} ${classes['head']}`} role="row" aria-rowindex={1}>
          <span role="columnheader">
            <Checkbox
              size="xs"
              aria-label={words.videoTable.selectAllShownVideos}
              checked={isAll}
              indeterminate={!isAll && selection.selected.length > 0}
              onChange={() => (isAll ? selection.clear() : selection.selectAll())}
            />
          </span>
          <SortableHeader sort={sort} orders={TITLE_ORDERS} ascending={TITLE_ORDERS[0]} onSort={onSort}>
            {words.videoTable.video}
          </SortableHeader>
          {columns.map((column) => {
            const orders = ORDERS[column];
            if (!orders) {
              return (
                <span key={column} role="columnheader" data-column={column}>
                  {words.columns[column]}
                </span>
              );
            }
            return (
              <SortableHeader
                key={column}
                data-column={column}
                sort={sort}
                orders={orders}
                ascending={orders[1]}
                onSort={onSort}
              >
                {words.columns[column]}
              </SortableHeader>
            );
          })}
        </div>
      </div>
      <WindowedList
        items={videos}
        keyOf={({ id }) => id}
        label={words.videoTable.videos}
        role="rowgroup"
        estimatePx={ROW_PX}
        total={list.total}
        hasMore={list.hasMore}
        loadingMore={list.loadingMore}
        onMore={list.loadMore}
        error={list.moreError}
        itemClassName={classes['row']}
        render={(video) => <VideoRow video={video} selection={selection} columns={columns} />}
      />
    </div>
  );
}

function widthsOf(columns: readonly Column[]): string {
  return columns.map((column) => `${WIDTHS_PX[column]}px`).join(' ');
}

export function ListSkeleton() {
  return (
    <div
      className={`panel ${classes['table']}`}
      role="status"
      aria-busy="true"
      aria-label={words.videoTable.loadingVideos}
    >
      {['a', 'b', 'c', 'd', 'e', 'f'].map((key) => (
        <div key={key} className={classes['skeleton']}>
          <Skeleton height={54} width={96} />
          <div>
            <Skeleton height={14} width="45%" />
            <Skeleton height={11} width="25%" mt={8} />
          </div>
        </div>
      ))}
    </div>
  );
}

interface HeaderProps {
  readonly sort: VideoSort;
  /** The two orders of this column; a press chooses the first, and the next one the other. */
  readonly orders: readonly [VideoSort, VideoSort];
  /** Which of the orders goes up. */
  readonly ascending: VideoSort;
  readonly onSort: (sort: VideoSort) => void;
  readonly children: ReactNode;
}

/** The header of a column by which the list can be sorted, as in the WAI-ARIA practices. */
function SortableHeader({ sort, orders: [first, second], ascending, onSort, children, ...rest }: HeaderProps) {
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
