import type { OwnerApi } from './api.js';
import { type Invocation, wholeNumber } from './command.js';

const PAGE = 100;

/** A page of a list, in GraphQL's format. */
export interface Page<Node> {
  readonly edges: readonly { readonly node: Node }[];
  readonly pageInfo: { readonly endCursor: string | null; readonly hasNextPage: boolean };
}

interface Position {
  readonly first: number;
  readonly after: string | null;
}

/** As many items of a list as `--limit` says, or 20. @param ask reads the page of `first` items after a cursor */
export async function collect<Node>(
  { options, api }: Pick<Invocation, 'options' | 'api'>,
  ask: (service: OwnerApi, position: Position) => Promise<Page<Node>>,
): Promise<Node[]> {
  const limit = wholeNumber(options['limit'], 'limit', 10_000) ?? 20;
  const service = await api();
  const found: Node[] = [];
  let after: string | null = null;
  do {
    const first = Math.min(PAGE, limit - found.length);
    const { edges, pageInfo }: Page<Node> = await ask(service, { first, after });
    found.push(...edges.map(({ node }) => node));
    after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
  } while (after !== null && found.length < limit);
  return found;
}
