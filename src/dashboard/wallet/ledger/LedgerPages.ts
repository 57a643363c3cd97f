import type { ApolloClient } from '@apollo/client';
import { LedgerPageDocument, type LedgerFilterInput, type LedgerRowFragment } from '../../generated/graphql.js';

/** Entries per request; the service's maximum is 100. */
const PAGE = 60;

interface Page {
  readonly entries: readonly LedgerRowFragment[];
  readonly endCursor: string | null;
  readonly hasMore: boolean;
}

export interface LedgerState {
  /** Undefined until the first response. */
  readonly page: Page | undefined;
  readonly loading: boolean;
  readonly error: unknown;
}

/**
 * The entries of one filter, newest first, page by page.
 *
 * They are not kept in the page's cache: an entry never changes, and there may be a hundred thousand, which a
 * normalized cache would compare again with every page.
 */
export class LedgerPages {
  private state: LedgerState = { page: undefined, loading: false, error: undefined };
  private readonly listeners = new Set<() => void>();

  constructor(
    private readonly client: ApolloClient,
    private readonly filter: LedgerFilterInput,
  ) {}

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly read = (): LedgerState => this.state;

  /** Reads the newest page: the first one, or new entries on top of what was read. */
  readonly refresh = (): Promise<void> => this.load(null, (page) => onTop(page, this.state.page));

  readonly more = (): Promise<void> => {
    const known = this.state.page;
    if (!known?.hasMore) return Promise.resolve();
    return this.load(known.endCursor, (page) => {
      // New entries may have been added on top meanwhile.
      const entries = [...(this.state.page ?? known).entries, ...page.entries];
      return { ...page, entries };
    });
  };

  private async load(after: string | null, join: (page: Page) => Page): Promise<void> {
    this.set({ loading: true, error: undefined });
    try {
      const page = await this.ask(after);
      this.set({ loading: false, page: join(page) });
    } catch (error) {
      this.set({ loading: false, error });
    }
  }

  private async ask(after: string | null): Promise<Page> {
    const { data } = await this.client.query({
      query: LedgerPageDocument,
      variables: { first: PAGE, after, filter: this.filter },
      fetchPolicy: 'no-cache',
    });
    if (!data) throw new Error('the service sent no ledger');
    const { edges, pageInfo } = data.wallet.entries;
    return { entries: edges.map(({ node }) => node), endCursor: pageInfo.endCursor, hasMore: pageInfo.hasNextPage };
  }

  private set(change: Partial<LedgerState>): void {
    this.state = { ...this.state, ...change };
    for (const listener of this.listeners) listener();
  }
}

/** If the two do not meet any more, only the newest page remains. */
function onTop(page: Page, known: Page | undefined): Page {
  const newest = known?.entries[0];
  if (!known || !newest) return page;
  const meeting = page.entries.findIndex(({ id }) => id === newest.id);
  return meeting < 0 ? page : { ...known, entries: [...page.entries.slice(0, meeting), ...known.entries] };
}
