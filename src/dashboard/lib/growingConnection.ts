import type { FieldPolicy, Reference } from '@apollo/client';

interface Edge {
  readonly cursor: string;
  readonly node: Reference;
}

interface Connection {
  readonly edges: readonly Edge[];
  readonly pageInfo: { readonly endCursor: string | null; readonly hasNextPage: boolean };
  readonly totalCount?: number | null;
}

/**
 * How the cache keeps a Relay connection that is read page by page: one list per `keyArgs`.
 *
 * Reading the first page again, as every change does, replaces the head of the list and keeps the pages below it, so
 * that the scroll position stays. If the two no longer meet, only the first page remains.
 */
export function growingConnection(keyArgs: string[]): FieldPolicy<Connection, Connection, Connection> {
  return {
    keyArgs,
    read(existing, { canRead }) {
      // Rows deleted meanwhile are gone from the cache.
      return existing && { ...existing, edges: existing.edges.filter(({ node }) => canRead(node)) };
    },
    merge(existing, incoming, { args, readField }) {
      if (!existing) return incoming;
      const after = (args as { after?: string | null } | null)?.after;
      const edges = existing.edges;
      if (after) {
        const kept = edges.slice(0, edges.findLastIndex(({ cursor }) => cursor === after) + 1);
        return { ...incoming, edges: [...(kept.length > 0 ? kept : edges), ...incoming.edges] };
      }
      // This is the complete list, so everything else has left it.
      if (!incoming.pageInfo.hasNextPage) return incoming;
      const last = incoming.pageInfo.endCursor;
      const meeting = last === null ? -1 : edges.findIndex(({ cursor }) => cursor === last);
      if (meeting < 0) return incoming;

      const renewed = new Set(incoming.edges.map(({ node }) => readField('id', node)));
      const tail = edges.slice(meeting + 1).filter(({ node }) => !renewed.has(readField('id', node)));
      return { ...incoming, edges: [...incoming.edges, ...tail], pageInfo: existing.pageInfo };
    },
  };
}
