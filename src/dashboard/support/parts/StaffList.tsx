import { words } from '#words/support.js';
import { Skeleton, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import type { IconName } from '../../parts/Icon.js';
import { EmptyState, ErrorState } from '../../parts/States.js';
import { useAction } from '../../parts/useAction.js';
import { WindowedList } from '../../parts/WindowedList.js';
import classes from './console.module.css';

/** Items per request. */
export const PAGE = 50;

export interface Pages<Node> {
  readonly edges: readonly { readonly cursor: string; readonly node: Node }[];
  readonly pageInfo: { readonly endCursor: string | null; readonly hasNextPage: boolean };
}

interface Props<Node> {
  /** The list's name for screen readers. */
  readonly label: string;
  /** Undefined until the first response. */
  readonly pages: Pages<Node> | undefined;
  readonly error: unknown;
  readonly onRetry: () => void;
  /** Reads the page after this cursor. */
  readonly onMore: (after: string | null) => Promise<unknown>;
  readonly keyOf: (node: Node) => string;
  readonly render: (node: Node) => ReactNode;
  /** Leaves out items that no longer belong in the list since it was read. */
  readonly keep?: (node: Node) => boolean;
  readonly empty: { readonly icon: IconName; readonly title: string; readonly advice: string };
  readonly filters?: ReactNode;
  readonly estimatePx?: number;
}

/** A list of the console, of any length: filters, rows, and its empty state. */
export function StaffList<Node>(props: Props<Node>) {
  const { label, pages, error, onRetry, onMore, keyOf, render, keep = () => true, empty, filters } = props;
  const more = useAction(() => onMore(pages?.pageInfo.endCursor ?? null));
  const nodes = pages?.edges.map(({ node }) => node).filter(keep);

  return (
    <section className={`panel ${classes['list']}`} aria-label={label}>
      {filters ? <div className={classes['filters']}>{filters}</div> : null}
      {!pages && error ? <ErrorState error={error} onRetry={onRetry} /> : null}
      {!pages && !error ? (
        <Stack gap="sm" p="md" role="status" aria-busy="true" aria-label={words.staffList.loading(label)}>
          {['a', 'b', 'c', 'd', 'e'].map((key) => (
            <Skeleton key={key} height={44} />
          ))}
        </Stack>
      ) : null}
      {nodes?.length === 0 && !pages?.pageInfo.hasNextPage ? <EmptyState {...empty} /> : null}
      {nodes && pages && (nodes.length > 0 || pages.pageInfo.hasNextPage) ? (
        <WindowedList
          label={label}
          className={classes['rows']}
          items={nodes}
          keyOf={keyOf}
          render={(node) => <div className={classes['row']}>{render(node)}</div>}
          estimatePx={props.estimatePx ?? 70}
          hasMore={pages.pageInfo.hasNextPage}
          loadingMore={more.busy}
          onMore={() => void more.run()}
          error={more.error}
        />
      ) : null}
    </section>
  );
}
