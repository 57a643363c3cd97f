import { InMemoryCache } from '@apollo/client';
import { parse } from 'graphql';
import { beforeEach, describe, expect, it } from 'vitest';

import { growingConnection } from '../../../src/dashboard/lib/growingConnection.js';

const QUERY = parse(`query ($after: String) {
  items(after: $after) { edges { cursor node { id } } pageInfo { endCursor hasNextPage } }
}`);

interface Items {
  readonly items: { readonly edges: readonly { readonly node: { readonly id: string } }[] };
}

let cache: InMemoryCache;
beforeEach(() => {
  cache = new InMemoryCache({ typePolicies: { Query: { fields: { items: growingConnection([]) } } } });
  came('dc', null);
  came('ba', 'c', false);
});

/** A page of items, whose ids are also their cursors. */
function came(ids: string, after: string | null, hasNextPage = true): void {
  const edges = ids.split('').map((id) => ({ __typename: 'Edge', cursor: id, node: { __typename: 'Item', id } }));
  const pageInfo = { __typename: 'PageInfo', endCursor: ids.at(-1) ?? null, hasNextPage };
  cache.writeQuery({ query: QUERY, variables: { after }, data: { items: { __typename: 'Items', edges, pageInfo } } });
}

function shown(): string | undefined {
  return cache
    .readQuery<Items>({ query: QUERY })
    ?.items.edges.map(({ node }) => node.id)
    .join('');
}

describe('a list that is read page by page', () => {
  it('has all pages that were read, in their order', () => {
    expect(shown()).toBe('dcba');
  });

  it('keeps the pages below when the first one is read again', () => {
    came('ed', null);
    expect(shown()).toBe('edcba');
    // One has moved to the top.
    came('bed', null);
    expect(shown()).toBe('bedca');
  });

  it('has only the first page if it no longer meets the others, or is all there is', () => {
    came('zy', null);
    expect(shown()).toBe('zy');
    came('y', null, false);
    expect(shown()).toBe('y');
  });

  it('reads a page again, or one that follows nothing known, without showing anything twice or losing it', () => {
    came('ba', 'c', false);
    expect(shown()).toBe('dcba');
    came('9', 'unknown', false);
    expect(shown()).toBe('dcba9');
  });

  it('leaves out what was deleted', () => {
    cache.evict({ id: 'Item:c' });
    expect(shown()).toBe('dba');
  });
});
