import type { Locator, Page, Route } from 'playwright-core';

import { goTo } from './window.js';

/**
 * Fails each request of `operation` until the returned function has pressed "Try again", and not before: the page also
 * reads again by itself, once a live stream opens, and would take the button away.
 */
export async function failUntilRetried(
  page: Page,
  operation: string,
  fail: (route: Route) => Promise<void> = (route) => route.fulfill({ status: 502 }),
): Promise<() => Promise<void>> {
  const isRetried = () => page.evaluate(() => 'isRetried' in globalThis);
  await page.route('**/graphql', async (route) => {
    const isAsked = (route.request().postData() ?? '').includes(`"operationName":"${operation}"`);
    return isAsked && !(await isRetried()) ? fail(route) : route.fallback();
  });
  return async () => {
    const button = page.getByRole('button', { name: 'Try again' });
    await button.waitFor();
    await page.evaluate(() => addEventListener('click', () => Object.assign(globalThis, { isRetried: true }), true));
    await button.click();
  };
}

/** Follows `link` of the navigation while `operation` fails, and sees that "Try again" brings the content. */
export async function readsAgain(page: Page, operation: string, link: string, content: Locator): Promise<void> {
  const retry = await failUntilRetried(page, operation);
  await goTo(page, link);
  await retry();
  await content.waitFor();
}
