import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import type { Page } from 'playwright-core';

import { accessibilityFaults, type LookOptions } from './accessibility.js';

const PHONE = { width: 390, height: 844 };
/** The height of a screenshot of a long page is limited to this. */
const MOST_PIXELS_DOWN = 2600;

/**
 * Faults that keep anybody from using the page as it is. If `DHARA_SCREENSHOTS` names a folder, saves screenshots
 * there: in light and in dark, at the current width and at a phone's. Leaves the page in light.
 */
export async function look(page: Page, name: string, options?: LookOptions): Promise<string[]> {
  const faults = await accessibilityFaults(page, options);
  const folder = process.env['DHARA_SCREENSHOTS'];
  if (folder) await keepLooks(page, join(folder, name));
  return faults.map((fault) => `${name}: ${fault}`);
}

async function keepLooks(page: Page, path: string): Promise<void> {
  await mkdir(join(path, '..'), { recursive: true });
  const own = page.viewportSize() ?? PHONE;
  for (const size of own.width === PHONE.width ? [own] : [own, PHONE]) {
    await page.setViewportSize(size);
    await page.evaluate(() => scrollTo(0, 0));
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      const height = await page.evaluate(() => document.documentElement.scrollHeight);
      await page.screenshot({
        path: `${path}-${size.width}-${colorScheme}.png`,
        fullPage: true,
        clip: { x: 0, y: 0, width: size.width, height: Math.min(height, MOST_PIXELS_DOWN) },
      });
    }
  }
  await page.setViewportSize(own);
}
