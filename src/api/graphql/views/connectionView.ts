import { AppError } from '../../../errors.js';
import type { Connection, Edge } from '../types/connection.js';

const MAX_FIRST = 100;

/** @throws INVALID_INPUT if `first` is not 1 to 100 */
export function pageSize(first: number): number {
  if (first < 1 || first > MAX_FIRST) throw new AppError('INVALID_INPUT', `first is 1 to ${MAX_FIRST}.`);
  return first;
}

export function connectionView<Node>(edges: Edge<Node>[], hasNextPage: boolean): Connection<Node> {
  return {
    edges,
    pageInfo: {
      hasNextPage,
      hasPreviousPage: false,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
  };
}

/** Builds a connection from up to `first + 1` rows with cursors: the additional row shows that there is a next page. */
export function connectionOfRows<Row extends { cursor: string }, Node>(
  rows: readonly Row[],
  first: number,
  view: (row: Row) => Node,
): Connection<Node> {
  const edges = rows.slice(0, first).map((row) => ({ cursor: row.cursor, node: view(row) }));
  return connectionView(edges, rows.length > first);
}
