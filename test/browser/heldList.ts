import type { APIResponse, Page, Route } from 'playwright-core';

import { operationOf } from './operationOf.js';

interface HeldList {
  readonly releaseNextPages: () => void;
  readonly end: () => void;
}

/**
 * Holds all pages of the list of videos but its first, as if nobody had scrolled yet. The first stays as it was read
 * until something is clicked: the page also reads it again by itself, once its live streams are open, and then misses
 * nothing.
 */
export async function holdList(page: Page): Promise<HeldList> {
  const released = Promise.withResolvers<void>();
  let isOver = false;
  let first: Promise<APIResponse> | undefined;
  // A page that is being left does not say.
  const isClicked = () => page.evaluate(() => 'isClicked' in globalThis).catch(() => true);
  await page.addInitScript(() =>
    addEventListener('click', () => Object.assign(globalThis, { isClicked: true }), { capture: true }),
  );
  await page.route('**/graphql', async (route: Route) => {
    if (isOver || operationOf(route.request()) !== 'Videos') return route.fallback();
    const { variables } = route.request().postDataJSON() as { variables: { after?: string | null } };
    if (variables.after) {
      await released.promise;
      return route.fallback();
    }
    if (first && (await isClicked())) return route.fallback();
    first ??= route.fetch();
    return route.fulfill({ response: await first });
  });
  return {
    releaseNextPages: released.resolve,
    // The route stays: a request that it holds would be lost with it.
    end: () => {
      isOver = true;
      released.resolve();
    },
  };
}
