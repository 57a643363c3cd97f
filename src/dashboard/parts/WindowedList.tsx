import { words } from '#words/parts.js';
import { Button, Loader } from '@mantine/core';
import { useCallback, useEffect, useRef, useState, type ReactNode } from 'react';
import { lineOf } from '../session/failures.js';
import { defaultRangeExtractor, keepPlace, useWindowLines, type Range } from './windowLines.js';
import classes from './WindowedList.module.css';

interface Props<Item> {
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string;
  readonly render: (item: Item, index: number) => ReactNode;
  /** The list's name for screen readers. */
  readonly label: string;
  /** Estimated height of a row in pixels, gap included, before it is measured. */
  readonly estimatePx: number;
  /** Items per row; 1 for a plain list. */
  readonly columns?: number;
  /** Between rows and columns, in pixels. */
  readonly gapPx?: number;
  /** `rowgroup` inside an element with role "table": each item is then a row and renders its own cells. */
  readonly role?: 'list' | 'rowgroup';
  /** The total on the service; omitted if it is not counted. */
  readonly total?: number | null;
  readonly hasMore: boolean;
  readonly loadingMore: boolean;
  /** Requests the next page; called repeatedly until `loadingMore` is true. */
  readonly onMore: () => void;
  /** Why the next page failed. No further request is made until the reader retries. */
  readonly error?: unknown;
  readonly className?: string | undefined;
  /** Class of each item's own element. */
  readonly itemClassName?: string | undefined;
}

/** Rows that are rendered above and below the window, so that Tab reaches the next one. */
const OVERSCAN = 6;
/** How many rows before the end the next page is requested. */
const AHEAD = 12;

/**
 * A long list that renders only its visible part. It scrolls with the window and loads more by itself.
 *
 * The row with the focus stays rendered however far one scrolls, and each item has its position and the total for
 * screen readers.
 */
export function WindowedList<Item>(props: Props<Item>) {
  const {
    items,
    keyOf,
    estimatePx,
    columns = 1,
    gapPx = 0,
    role = 'list',
    hasMore,
    loadingMore,
    onMore,
    error,
  } = props;
  const box = useRef<HTMLDivElement>(null);
  const [scrollMargin, setScrollMargin] = useState(0);
  const [focused, setFocused] = useState<number>();
  const lines = Math.ceil(items.length / columns);

  useEffect(() => {
    // The content above may change its height: notices come and go.
    const observer = new ResizeObserver(() => {
      const top = box.current ? Math.round(box.current.getBoundingClientRect().top + scrollY) : 0;
      setScrollMargin(top);
    });
    observer.observe(document.body);
    return () => observer.disconnect();
  }, []);

  const virtualizer = useWindowLines({
    count: lines,
    estimateSize: () => estimatePx,
    overscan: OVERSCAN,
    gap: gapPx,
    scrollMargin,
    scrollToFn: keepPlace,
    // Otherwise the first rows would be rendered only after the list was committed, in the same task.
    initialRect: { width: innerWidth, height: innerHeight },
    getItemKey: (line) => keyOf(items[line * columns] as Item),
    rangeExtractor: useCallback(
      (range: Range) => {
        const seen = defaultRangeExtractor(range);
        if (focused === undefined || focused >= range.count || seen.includes(focused)) return seen;
        return [...seen, focused].sort((a, b) => a - b);
      },
      [focused],
    ),
  });
  const shown = virtualizer.getVirtualItems();
  const last = virtualizer.range?.endIndex ?? 0;

  useEffect(() => {
    if (hasMore && !loadingMore && !error && last >= lines - AHEAD) onMore();
  }, [hasMore, loadingMore, error, last, lines, onMore]);

  return (
    <>
      <div
        ref={box}
        role={role}
        aria-label={props.label}
        className={`${classes['list']} ${props.className ?? ''}`}
        style={{ height: virtualizer.getTotalSize() }}
        onFocus={(event) => setFocused(lineOfElement(event.target))}
        onBlur={() => setFocused(undefined)}
      >
        {shown.map(({ key, index: line, start }) => (
          <div
            key={key}
            ref={virtualizer.measureElement}
            data-index={line}
            role="presentation"
            className={classes['line']}
            style={{
              transform: `translateY(${start - scrollMargin}px)`,
              gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
              columnGap: gapPx,
            }}
          >
            {items.slice(line * columns, (line + 1) * columns).map((item, column) => {
              const index = line * columns + column;
              return (
                <div
                  key={keyOf(item)}
                  className={props.itemClassName}
                  {...placeOf(role, index, hasMore ? (props.total ?? -1) : items.length)}
                >
                  {props.render(item, index)}
                </div>
              );
            })}
          </div>
        ))}
      </div>
      <End isRow={role === 'rowgroup'}>
        {error ? (
          <>
            <span>{lineOf(error)}</span>
            <Button size="xs" variant="default" onClick={onMore} loading={loadingMore}>
              {words.windowedList.tryAgain}
            </Button>
          </>
        ) : null}
        {loadingMore && !error ? <Loader size="sm" role="img" aria-label={words.windowedList.loadingMore} /> : null}
      </End>
    </>
  );
}

/** What follows the last item. A table has only rows and cells, so there it is a cell. */
function End({ isRow, children }: { isRow: boolean; children: ReactNode }) {
  const status = (
    <div className={classes['end']} role="status">
      {children}
    </div>
  );
  if (!isRow) return status;
  return (
    <div role="rowgroup">
      <div role="row">
        <div role="cell">{status}</div>
      </div>
    </div>
  );
}

/** -1: the total is unknown. */
function placeOf(role: 'list' | 'rowgroup', index: number, total: number) {
  return role === 'list'
    ? ({ role: 'listitem', 'aria-posinset': index + 1, 'aria-setsize': total } as const)
    : // The table's head is its first row.
      ({ role: 'row', 'aria-rowindex': index + 2 } as const);
}

function lineOfElement(element: Element): number | undefined {
  const line = element.closest<HTMLElement>('[data-index]')?.dataset['index'];
  return line === undefined ? undefined : Number(line);
}
