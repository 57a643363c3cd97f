import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';

import {
  VideoTagsDocument,
  WalletChangedDocument,
  type WalletChangedSubscription,
} from '../../../src/dashboard/generated/graphql.js';
import { fundWallet } from '../../support/accounts.js';
import { addVideo } from '../../support/contract/service.js';
import { GraphqlService } from '../graphql/service.js';
import { Page } from './page.js';

let service: GraphqlService;
let page: Page;
let accountId: string;
/** Loaded once there is a page: they listen to its events. */
let dashboard: Awaited<ReturnType<typeof loadDashboard>>;

async function loadDashboard() {
  const [
    { createApolloClient },
    { session },
    { SseLink },
    deletes,
    { LedgerPages },
    { closeToast, openToasts },
    { auth },
  ] = await Promise.all([
    import('../../../src/dashboard/app/apolloClient.js'),
    import('../../../src/dashboard/session/session.js'),
    import('../../../src/dashboard/app/sseLink.js'),
    import('../../../src/dashboard/videos/deletedVideos.js'),
    import('../../../src/dashboard/wallet/ledger/LedgerPages.js'),
    import('../../../src/dashboard/parts/toasts.js'),
    import('../../../src/dashboard/session/authClient.js'),
  ]);
  return { createApolloClient, session, SseLink, ...deletes, LedgerPages, closeToast, openToasts, auth };
}

beforeAll(async () => {
  service = await GraphqlService.start();
  const owner = await service.signedIn('owner@example.com');
  accountId = owner.accountId;
  page = Page.open(service.url, owner.cookie);
  dashboard = await loadDashboard();
});
afterAll(async () => {
  vi.unstubAllGlobals();
  await service?.stop();
});
beforeEach(() => {
  page.setHidden(false);
});

/** Adds credits, which is one entry of the ledger. */
const adjust = (micros: bigint): Promise<void> => fundWallet(service.services.db, accountId, { MASTER: micros });

async function remaining(ids: readonly string[]): Promise<string[]> {
  const rows = await service.rows<{ id: string }>('select id from video where id = any ($1) and deleted_at is null', [
    ids,
  ]);
  return rows.map(({ id }) => id);
}

describe('the pages of the ledger', () => {
  it('are read one after the other, and new entries come on top', async () => {
    for (let n = 0; n < 65; n += 1) await adjust(1_000_000n);
    const pages = new dashboard.LedgerPages(dashboard.createApolloClient(), {});
    const states: boolean[] = [];
    pages.subscribe(() => states.push(pages.read().loading));
    const ids = () => pages.read().page!.entries.map(({ id }) => id);

    await pages.refresh();
    expect([ids().length, pages.read().page!.hasMore, pages.read().loading]).toEqual([60, true, false]);
    const first = ids();
    await adjust(2_000_000n);
    await pages.more();
    expect([ids().length, pages.read().page!.hasMore]).toEqual([65, false]);
    await pages.refresh();
    expect(ids().length).toBe(66);
    expect(ids().slice(1, 61)).toEqual(first);
    expect(new Set(ids()).size).toBe(66);
    await pages.more();
    expect(ids().length).toBe(66);
    expect(states).toEqual([true, false, true, false, true, false]);

    // So many have come that the two do not meet.
    for (let n = 0; n < 60; n += 1) await adjust(1_000_000n);
    await pages.refresh();
    expect([ids().length, pages.read().page!.hasMore]).toEqual([60, true]);
  });

  it('keep what was read when a request fails', async () => {
    const pages = new dashboard.LedgerPages(dashboard.createApolloClient(), {});
    await pages.refresh();
    const { cookie } = page;
    page.cookie = '';
    await pages.more();
    page.cookie = cookie;
    expect(pages.read()).toMatchObject({ loading: false, error: { name: 'CombinedGraphQLErrors' } });
    expect(pages.read().page!.entries).toHaveLength(60);
    await pages.more();
    expect(pages.read().error).toBeUndefined();
  });
});

describe('live updates', () => {
  it('come while the page is visible; a hidden page holds no stream, and reopens it', async () => {
    const client = dashboard.createApolloClient();
    const balances: string[] = [];
    const watching = client
      .subscribe<WalletChangedSubscription>({ query: WalletChangedDocument })
      .subscribe(({ data }) => balances.push(data!.walletChanged.master));
    try {
      // The stream begins with the current state.
      await expect.poll(() => balances.length).toBe(1);
      await adjust(5_000_000n);
      const more = () => Number(balances.at(-1)) - Number(balances[0]);
      await expect.poll(more).toBe(5);

      page.setHidden(true);
      await expect.poll(() => page.streams.size).toBe(0);
      await adjust(5_000_000n);
      page.setHidden(false);
      await expect.poll(more).toBe(10);
    } finally {
      watching.unsubscribe();
    }
    await expect.poll(() => page.streams.size).toBe(0);
  });

  it('are refused without a session, and the page learns why', async () => {
    const { cookie } = page;
    page.cookie = '';
    const states: boolean[] = [];
    const client = dashboard.createApolloClient();
    const refused = new Promise<void>((resolve) => {
      client.setLink(
        new dashboard.SseLink({ url: '/graphql/stream', onRefused: resolve, onState: (open) => states.push(open) }),
      );
    });
    const watching = client.subscribe({ query: WalletChangedDocument }).subscribe(() => undefined);
    await refused;
    watching.unsubscribe();
    page.cookie = cookie;
    expect(states).not.toContain(true);
  });
});

describe('videos that are deleted with a chance to undo', () => {
  const doomed = (ids: readonly string[]) =>
    ids.map((id, n) => ({ id, title: `Video ${n}`, status: 'READY' as const, playableRungs: [] }));
  const add = (count: number) =>
    Promise.all(Array.from({ length: count }, () => addVideo(service.services.db, accountId)));

  it('are in the bin at once, in requests of at most a hundred, and leaving the page changes nothing', async () => {
    const ids = await add(101);
    await dashboard.moveToBin(dashboard.createApolloClient(), doomed(ids));
    page.leave();
    expect(await remaining(ids)).toEqual([]);
    const inBin = 'select count(*)::int as videos from video where id = any ($1) and purge_after is not null';
    expect(await service.rows(inBin, [ids])).toEqual([{ videos: 101 }]);
  });

  it('come back if it is undone', async () => {
    const ids = await add(2);
    await dashboard.moveToBin(dashboard.createApolloClient(), doomed(ids));
    expect(await remaining(ids)).toEqual([]);
    dashboard.closeToast(dashboard.openToasts().at(-1)!.id, true);
    await expect.poll(async () => (await remaining(ids)).toSorted()).toEqual(ids.toSorted());
  });

  it('are shown again if the service refuses', async () => {
    const ids = await add(1);
    const { cookie } = page;
    page.cookie = '';
    await expect(dashboard.moveToBin(dashboard.createApolloClient(), doomed(ids))).rejects.toThrow();
    page.cookie = cookie;
    expect(await remaining(ids)).toEqual(ids);
  });
});

describe('the session', () => {
  it('is signed in and out; a refusal has the code of the service', async () => {
    await expect(dashboard.auth.signIn('owner@example.com', 'wrong password')).rejects.toMatchObject({
      name: 'AuthError',
      code: 'INVALID_EMAIL_OR_PASSWORD',
    });
    expect(await dashboard.auth.signIn('owner@example.com', 'correct horse battery')).toBe(false);
  });

  it('that ended is reported once the viewer was known, and what waits continues with the next one', async () => {
    let resumed = 0;
    dashboard.session.onResume(() => (resumed += 1));
    dashboard.session.begin();
    const { cookie } = page;
    page.cookie = '';
    const error = await dashboard
      .createApolloClient()
      .query({ query: VideoTagsDocument })
      .catch((thrown: unknown) => thrown);
    page.cookie = cookie;
    expect(error).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] });
    expect(resumed).toBe(0);
    dashboard.session.begin();
    expect(resumed).toBe(1);
  });
});
