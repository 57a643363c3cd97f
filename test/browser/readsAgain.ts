import type { Locator, Page } from 'playwright-core';

/**
 * Follows `link` while `operation` fails, and sees that "Try again" brings the content. Requests succeed once the button
 * was pressed and not before: a live stream that opens meanwhile reads the page again by itself.
 */
export async function readsAgain(page: Page, operation: string, link: string, content: Locator): Promise<void> {
  const wasPressed = () => page.evaluate(() => 'isTried' in globalThis);
  await page.route('**/graphql', async (route) => {
    const isAsked = (route.request().postData() ?? '').includes(`"${operation}"`);
    return isAsked && !(await wasPressed()) ? route.fulfill({ status: 502 }) : route.continue();
  });
  await page.getByRole('link', { name: link }).click();
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  await page.evaluate(() => addEventListener('click', () => Object.assign(globalThis, { isTried: true }), true));
  await page.getByRole('button', { name: 'Try again' }).click();
  await content.waitFor();
}
