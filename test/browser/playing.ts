import type { Page } from 'playwright-core';

import '../../src/player/index.js';

/** Waits until the video has played to this position. */
export async function playedTo(page: Page, seconds: number): Promise<void> {
  await page.waitForFunction((until) => document.querySelector('dhara-player')!.currentTime > until, seconds);
}

/** Moves the pointer like a person who wants to click, which shows the controls again. */
export async function wake(page: Page): Promise<void> {
  const box = (await page.locator('dhara-player').boundingBox())!;
  for (const share of [0.3, 0.4]) await page.mouse.move(box.x + box.width * share, box.y + box.height / 2);
}
