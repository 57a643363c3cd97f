const PAGE = 100;

/** A page of a list, in GraphQL's format. */
export interface Page<Node> {
  readonly edges: readonly { readonly node: Node }[];
  readonly pageInfo: { readonly endCursor: string | null; readonly hasNextPage: boolean };
}

/** The first `limit` items of a list. @param ask reads the page of `first` items after a cursor */
export async function collect<Node>(
  limit: number,
  ask: (position: { first: number; after: string | null }) => Promise<Page<Node>>,
): Promise<Node[]> {
  const found: Node[] = [];
  let after: string | null = null;
  do {
    const { edges, pageInfo }: Page<Node> = await ask({ first: Math.min(PAGE, limit - found.length), after });
    found.push(...edges.map(({ node }) => node));
    after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
  } while (after !== null && found.length < limit);
  return found;
}
