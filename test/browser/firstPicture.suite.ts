import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { Page, Response } from 'playwright-core';
import { describe, expect, it } from 'vitest';

import { accessibilityFaults, settled } from './accessibility.js';
import type { Scene } from './scene.js';
import { openPage } from './window.js';

const WINDOWS = [
  ['a desktop', { width: 1280, height: 800 }],
  ['a phone', { width: 390, height: 844 }],
] as const;
/** Each has a budget of files and bytes (`src/setup/firstViews.mjs`), which counts what its header names. */
const FIRST_VIEWS = ['/', '/videos', '/videos/:id', '/wallet'];
const BACKGROUNDS = { light: 'rgb(246, 248, 249)', dark: 'rgb(16, 21, 23)' };

/** The content of a page before its scripts run. */
export function theFirstPicture(scene: () => Scene): void {
  describe('the first view', () => {
    const addressOf = (path: string): string => path.replace(':id', scene().demo.videoId);
    const open = async (viewport: { width: number; height: number }, javaScriptEnabled = true) =>
      openPage(scene().browser, scene().demo.url, { viewport, javaScriptEnabled });

    it.each(WINDOWS)('has each word of the sign-in at its final place, on %s', async (_name, viewport) => {
      const before = await open(viewport);
      await before.page.route('**/*.js', (route) => route.abort());
      await before.page.goto('/sign-in');
      expect(await accessibilityFaults(before.page)).toEqual([]);
      for (const colorScheme of ['dark', 'light'] as const) {
        await before.page.emulateMedia({ colorScheme });
        expect(await backgroundOf(before.page)).toBe(BACKGROUNDS[colorScheme]);
      }
      const drawn = await placesOfWords(before.page);

      const after = await open(viewport);
      await after.page.goto('/sign-in');
      await after.page.getByLabel('Email address').waitFor();
      expect(drawn).toEqual(await placesOfWords(after.page));
      expect(drawn.map(([word]) => word)).toContain('Forgot your password?');
      expect([...before.complaints, ...after.complaints]).toEqual([]);
    });

    it.each(FIRST_VIEWS)('of %s names in a header each file that it loads, once', async (path) => {
      const { page } = await scene().openWindow('about:blank');
      await page.addInitScript(() => {
        new MutationObserver((_changes, observer) => {
          if (!document.querySelector('h1')) return;
          performance.mark('shown');
          observer.disconnect();
        }).observe(document, { subtree: true, childList: true });
      });
      const loaded: string[] = [];
      page.on('request', (request) => {
        const { pathname } = new URL(request.url());
        if (pathname.startsWith('/assets/')) loaded.push(pathname);
      });
      const response = await page.goto(addressOf(path));
      await page.getByRole('heading', { level: 1 }).waitFor();

      expect(loaded.toSorted()).toEqual([...new Set(loaded)].toSorted());
      // Code that nobody needs at once follows when the page has painted.
      const needed = await page.evaluate(() => {
        const shownAtMs = performance.getEntriesByName('shown')[0]!.startTime;
        const files = performance.getEntriesByType('resource').filter(({ startTime }) => startTime < shownAtMs);
        return files.map(({ name }) => new URL(name).pathname).filter((name) => name.startsWith('/assets/'));
      });
      expect(needed.length).toBeGreaterThan(5);
      expect(namedIn(response)).toEqual(expect.arrayContaining(needed));
    });

    it.each(FIRST_VIEWS)(
      'of %s is laid out by the browser: no script focuses, scrolls or opens a stream before it has painted',
      async (path) => {
        const { page } = await scene().openWindow('about:blank');
        await page.addInitScript(() => {
          const early: string[] = [];
          let isShown = false;
          let isPainted = false;
          for (const [owner, name] of [
            [HTMLElement.prototype, 'focus'],
            [Element.prototype, 'scrollIntoView'],
            [globalThis, 'scrollTo'],
            [globalThis, 'fetch'],
          ] as const) {
            const own = (owner as Record<string, unknown>)[name] as (...given: unknown[]) => unknown;
            Object.assign(owner, {
              [name](this: unknown, ...given: unknown[]) {
                if (!isPainted && (name !== 'fetch' || given[0] === '/graphql/stream')) early.push(name);
                return own.apply(this, given);
              },
            });
          }
          new MutationObserver((changes, observer) => {
            const h1 = document.querySelector('main:not(.sketch) h1');
            if (!h1 || isShown) return;
            isShown = true;
            observer.disconnect();
            requestAnimationFrame(() => (isPainted = true));
            const at = (is: (change: MutationRecord) => boolean): number => changes.findIndex(is);
            const shownAt = at(({ addedNodes }) => [...addedNodes].some((node) => node.contains(h1)));
            const scheme = document.documentElement.dataset['mantineColorScheme'];
            const styledAt = at(
              ({ attributeName, oldValue }) => attributeName === 'data-mantine-color-scheme' && oldValue !== scheme,
            );
            Object.assign(globalThis, { early, isStyledAgain: styledAt > shownAt });
          }).observe(document, { subtree: true, childList: true, attributes: true, attributeOldValue: true });
        });
        await page.goto(addressOf(path));
        // The focus is what a screen reader announces.
        await page.locator('h1:focus').waitFor();
        expect(await page.evaluate('({ early, isStyledAgain })')).toEqual({ early: [], isStyledAgain: false });
      },
    );

    it('makes the first format while its scripts load, not while it is rendered', async () => {
      const { page } = await scene().openWindow('about:blank');
      await page.addInitScript(() => {
        for (const name of ['NumberFormat', 'DateTimeFormat', 'RelativeTimeFormat'] as const) {
          const construct = (own: new () => object, given: [], target: new () => object): object => {
            (globalThis as { firstFormat?: string | undefined }).firstFormat ??= new Error(name).stack;
            return Reflect.construct(own, given, target);
          };
          Object.assign(Intl, { [name]: new Proxy(Intl[name] as unknown as new () => object, { construct }) });
        }
      });
      await page.goto('/');
      await page.getByRole('heading', { level: 1 }).waitFor();
      expect(await page.evaluate('firstFormat')).toContain('/assets/main-');
    });

    it('of a video is followed by its other parts one after the other, not by all in one task', async () => {
      const { page } = await scene().openWindow('about:blank');
      await page.addInitScript(() => {
        const tasks: string[][] = [];
        new MutationObserver((changes) => {
          const added = changes.flatMap(({ addedNodes }) => [...addedNodes].filter((node) => node instanceof Element));
          const ids = ['video-analytics', 'details-title', 'activity-title', 'poster-title'];
          const parts = ids.filter((id) => added.some((element) => element.querySelector(`#${id}`) !== null));
          if (parts.length > 0) tasks.push(parts);
        }).observe(document, { subtree: true, childList: true });
        Object.assign(globalThis, { tasks });
      });
      await page.goto(addressOf('/videos/:id'));
      for (const name of ['Details', 'Activity', 'Poster'])
        await page.getByRole('heading', { name, exact: true }).waitFor();
      const tasks = await page.evaluate<string[][]>('tasks');
      expect(tasks.filter((parts) => parts.length > 1)).toEqual([]);
      expect(tasks.length).toBeGreaterThan(2);
    });

    it.each(WINDOWS)('of a video stays where it is while its other parts arrive, on %s', async (_name, viewport) => {
      const { page } = await scene().openWindow('about:blank');
      await page.setViewportSize(viewport);
      await page.addInitScript(recordMoves);
      await page.goto(addressOf('/videos/:id'));
      for (const name of ['Details', 'Activity', 'Poster'])
        await page.getByRole('heading', { name, exact: true }).waitFor();
      await settled(page);
      await painted(page);
      expect(await page.evaluate('moved')).toEqual([]);
    });

    it.each(['/', '/sign-in'])('of %s stays where it is if half of it arrives later', async (path) => {
      const html = await (await fetch(new URL(path, scene().demo.url))).text();
      const drawn = html.replaceAll(/<script[^>]*>.*?<\/script>|<link[^>]*>/gs, '');
      for (const end of ['</svg>', '</main>']) {
        const cut = drawn.indexOf(end);
        await using site = await sendInHalves(drawn.slice(0, cut), drawn.slice(cut));
        const { page } = await openPage(scene().browser, site.url, { viewport: WINDOWS[1][1] });
        await page.addInitScript(recordMoves);
        await page.goto('/', { waitUntil: 'commit' });
        await page.locator('.sketch svg').waitFor({ state: 'attached' });
        await painted(page);
        site.sendRest();
        await page.getByText(path === '/' ? 'Dhara' : 'Forgot your password?', { exact: true }).waitFor();
        await painted(page);
        expect(await page.evaluate('moved')).toEqual([]);
        await page.context().close();
      }
    });

    it.each(FIRST_VIEWS)(
      'of %s gives inputs the ids that they keep, since new ones would render them again',
      async (path) => {
        const { page } = await scene().openWindow(addressOf(path));
        await page.getByRole('heading', { level: 1 }).waitFor();
        const ids = await page.locator('[id]').evaluateAll((elements) => elements.map(({ id }) => id));
        expect(ids.length).toBeGreaterThan(2);
        expect(ids.filter((id) => id.startsWith('mantine-'))).toEqual([]);
      },
    );

    it('names nothing of the signed-in pages on the sign-in, and nothing of the dashboard on the watch page', async () => {
      const { page } = await open(WINDOWS[1][1]);
      const files = namedIn(await page.goto('/sign-in')).join();
      expect(files).toContain('/SignInPage-');
      expect(files).not.toContain('/pages-');
      const ofWatch = namedIn(await page.goto('/watch')).join();
      expect(ofWatch).toContain('/watchPage-');
      expect(ofWatch).not.toContain('/react-');
    });

    it('is removed once the dashboard is rendered', async () => {
      const { page } = await open(WINDOWS[1][1]);
      for (const path of ['/sign-in', '/docs', '/sign-up']) {
        await page.goto(path);
        await page.locator('main:not(.sketch)').waitFor();
        expect(await page.locator('.sketch').count()).toBe(0);
        // The component library adds its own styles there.
        expect((await page.locator('style').allTextContents()).join()).not.toContain('.sketch');
      }
    });

    it('says what is missing if scripts are disabled', async () => {
      const { page } = await open(WINDOWS[1][1], false);
      for (const path of ['/sign-in', '/']) {
        await page.goto(path);
        await page.locator('noscript p').waitFor();
        expect(await page.locator('noscript').innerText()).toContain('Dhara needs JavaScript.');
      }
    });

    it('says so if the scripts cannot be loaded', async () => {
      const { page } = await open(WINDOWS[1][1]);
      await page.route('**/showDashboard-*.js', (route) => route.fulfill({ status: 404 }));
      await page.goto('/sign-in');
      await page.getByText('Dhara could not be loaded.').waitFor();
    });
  });
}

/** The files in the header that makes browsers request them. */
function namedIn(response: Response | null): string[] {
  const link = response?.headers()['link'] ?? '';
  return [...link.matchAll(/<(\/assets\/[^>]+)>; rel=/g)].map(([, path = '']) => path);
}

function backgroundOf(page: Page): Promise<string> {
  return page.evaluate(() => getComputedStyle(document.body).backgroundColor);
}

/** Where each piece of text begins, and its height, in whole pixels. */
function placesOfWords(page: Page): Promise<[string, number, number, number][]> {
  return page.evaluate(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const places: [string, number, number, number][] = [];
    const range = document.createRange();
    while (walker.nextNode()) {
      const word = walker.currentNode.textContent?.trim() ?? '';
      range.selectNodeContents(walker.currentNode);
      const { left, top, width, height } = range.getBoundingClientRect();
      if (word !== '' && width > 0) places.push([word, Math.round(left), Math.round(top), Math.round(height)]);
    }
    return places;
  });
}

/** Keeps in `moved` what changed its place without being told to. */
function recordMoves(): void {
  const moved: string[] = [];
  const show = ({ x, y, width, height }: DOMRect): string => [x, y, width, height].map(Math.round).join(' ');
  const nameOf = (node: Node | null): string => {
    if (!(node instanceof Element)) return '?';
    const { parentElement, textContent } = node;
    const parent = parentElement ? (parentElement.cloneNode() as Element).outerHTML : 'nothing';
    return `${node.tagName}.${node.getAttribute('class')} "${textContent.trim().slice(0, 40)}" in ${parent}`;
  };
  interface Shift extends PerformanceEntry {
    readonly sources: readonly { node: Node | null; previousRect: DOMRect; currentRect: DOMRect }[];
  }
  new PerformanceObserver((list) => {
    for (const { sources } of list.getEntries() as Shift[])
      for (const { node, previousRect, currentRect } of sources)
        moved.push(`${nameOf(node)} from ${show(previousRect)} to ${show(currentRect)}`);
  }).observe({ type: 'layout-shift', buffered: true });
  Object.assign(globalThis, { moved });
}

/** What has changed so far is on the screen, and what it moved is reported. */
async function painted(page: Page): Promise<void> {
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))');
}

/** A site of one page, whose second half is sent when the test says so. */
async function sendInHalves(first: string, rest: string) {
  const { promise: told, resolve: sendRest } = Promise.withResolvers<void>();
  const server = createServer(async ({ url }, res) => {
    if (url !== '/') return res.writeHead(404).end();
    res.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).write(first);
    await told;
    return res.end(rest);
  });
  await new Promise<void>((ready) => void server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    sendRest,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
