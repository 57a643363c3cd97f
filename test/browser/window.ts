import { env } from 'node:process';

import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

import { openPage as openPlainPage } from '../support/browser/browser.js';
import { SIZES, WINDOWS } from './sizes.js';

export type Window = Pick<(typeof WINDOWS)[number], 'viewport' | 'colorScheme' | 'reducedMotion'>;

/** For steps that need the columns and the sidebar of a desktop. */
export const DESKTOP: Window = { viewport: SIZES[0], colorScheme: 'light', reducedMotion: 'no-preference' };

/**
 * The window in which this test acts. `TEST_WINDOW` names one for all tests, such as `390-dark`; otherwise each has its
 * own, chosen by its name, so that it is the same whichever tests run before it.
 */
export function ownWindow(): Window {
  const { name: _, ...window } = env['TEST_WINDOW'] ? named(env['TEST_WINDOW']) : WINDOWS[turnOf(testName())]!;
  return window;
}

/** A separate window without cookies: that of the test, unless the options say otherwise. */
export function openPage(
  browser: Browser,
  baseURL: string,
  options: BrowserContextOptions = {},
): Promise<{ page: Page; complaints: string[] }> {
  return openPlainPage(browser, baseURL, { ...ownWindow(), ...options });
}

/** Makes a page that several tests share the window of the next one. */
export async function takeTurn(page: Page, { viewport, ...media }: Window = ownWindow()): Promise<void> {
  await page.setViewportSize(viewport);
  await page.emulateMedia(media);
}

/** The list beside the page, or a phone's bar below it. */
export function navigationOf(page: Page): Locator {
  return page.getByRole('navigation', { name: 'Main' });
}

/** Follows a link of the navigation. On a phone, most of them are behind "More". */
export async function goTo(page: Page, name: string): Promise<void> {
  const navigation = navigationOf(page);
  const link = navigation.getByRole('link', { name, exact: true, includeHidden: true });
  await link.waitFor({ state: 'attached' });
  if (!(await link.isVisible())) await navigation.getByRole('button', { name: 'More' }).click();
  await link.click();
  // Until the page is there, the sheet of the one before would close.
  await navigation.locator('a[aria-current=page]').filter({ hasText: name }).waitFor({ state: 'attached' });
  // The next step would find the sheet open, and see it close.
  await page.locator('nav[data-open]').waitFor({ state: 'detached' });
}

function testName(): string {
  // Pages that are opened before the first test have no turn of their own.
  return expect.getState().currentTestName ?? '';
}

function named(given: string): (typeof WINDOWS)[number] {
  const found = WINDOWS.find(({ name }) => name === given);
  if (!found) throw new Error(`TEST_WINDOW is ${given}; it may be ${WINDOWS.map(({ name }) => name).join(', ')}`);
  return found;
}

/** Which of the six windows a name gets. FNV-1a spreads names that differ in one letter. */
export function turnOf(name: string): number {
  let hash = 0x81_1c_9d_c5;
  for (const letter of name) hash = Math.imul(hash ^ letter.codePointAt(0)!, 0x01_00_01_93);
  return (hash >>> 0) % WINDOWS.length;
}
