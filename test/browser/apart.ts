import { expect } from 'vitest';
import type { Locator, Page } from 'playwright-core';

import { SIZES } from './sizes.js';

/**
 * Expects that none of these parts lies over another, at every width, whether the page is at its top or its end. Leaves
 * the window as it was.
 */
export async function expectApart(page: Page, ...parts: Locator[]): Promise<void> {
  const own = page.viewportSize()!;
  const faults: string[] = [];
  for (const size of SIZES) {
    await page.setViewportSize(size);
    for (const end of [false, true]) {
      await page.evaluate((toEnd) => scrollTo(0, toEnd ? document.documentElement.scrollHeight : 0), end);
      // What has just come is still rising.
      await page.waitForFunction(() => document.getAnimations().every(({ playState }) => playState !== 'running'));
      const boxes = await Promise.all(parts.map((part) => part.boundingBox()));
      for (const [nth, one] of boxes.entries()) {
        for (const [after, other] of boxes.slice(nth + 1).entries()) {
          if (!one || !other) throw new Error('a part is not in the page');
          const wide = Math.min(one.x + one.width, other.x + other.width) - Math.max(one.x, other.x);
          const high = Math.min(one.y + one.height, other.y + other.height) - Math.max(one.y, other.y);
          if (wide > 0 && high > 0) {
            const where = `at ${size.width}, ${end ? 'at the end' : 'at the top'}`;
            faults.push(`${where}: ${String(parts[nth])} and ${String(parts[nth + 1 + after])}, ${high} px`);
          }
        }
      }
    }
  }
  await page.setViewportSize(own);
  expect(faults).toEqual([]);
}
