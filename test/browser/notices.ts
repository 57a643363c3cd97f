import type { Locator, Page } from 'playwright-core';

/**
 * Waits for the notice that contains all of these words, and puts the pointer on it.
 * A notice closes after seconds, but not under the pointer: so a slow machine does not close it while a test reads it.
 */
export async function readNotice(page: Page, ...words: (string | RegExp)[]): Promise<Locator> {
  const all = page.getByRole('region', { name: 'Notices' }).locator('[data-kind]');
  const notice = words.reduce((found, hasText) => found.filter({ hasText }), all);
  await notice.hover();
  return notice;
}
