import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import type { Page } from 'playwright-core';

import { accessibilityFaults, schemeOf, settled, switchTo, type LookOptions } from './accessibility.js';
import { cutFields, overlaps, smallTargets } from './measures.js';
import { SIZES } from './sizes.js';

/** The height of a screenshot of a long page is limited to this. */
const MOST_PIXELS_DOWN = 2600;

interface Options extends LookOptions {
  /** Axe-core, which takes most of the time, checks the page at every size, and not only at the window's own. */
  readonly axeAtEverySize?: boolean;
}

/**
 * Faults that keep anybody from using the page as it is, on a desktop, a tablet and a phone. Axe-core checks it in the
 * window's own size and scheme, which differ from test to test. If `DHARA_SCREENSHOTS` names a folder, saves screenshots
 * there, in light and in dark. Leaves the window as it was.
 */
export async function look(page: Page, name: string, options: Options = {}): Promise<string[]> {
  const { axeAtEverySize = false, ...schemesAndRules } = options;
  const own = page.viewportSize()!;
  const faults: string[] = [];
  if (!axeAtEverySize) faults.push(...(await accessibilityFaults(page, schemesAndRules)));
  for (const size of SIZES) {
    await page.setViewportSize(size);
    const found = axeAtEverySize ? await accessibilityFaults(page, schemesAndRules) : await tooWide(page);
    found.push(...(await smallTargets(page)), ...(await overlaps(page)), ...(await cutFields(page)));
    faults.push(...found.map((fault) => `at ${size.width}: ${fault}`));
    const folder = process.env['DHARA_SCREENSHOTS'];
    if (folder) await keepLook(page, join(folder, `${name}-${size.width}`));
  }
  await page.setViewportSize(own);
  return faults.map((fault) => `${name}: ${fault}`);
}

async function tooWide(page: Page): Promise<string[]> {
  await settled(page);
  // What observes its size is drawn again in the next frame.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const isTooWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  return isTooWide ? ['wider than the window'] : [];
}

/** Saves the page in dark and in light, also what is below the window, once nothing fades any more. */
export async function keepLook(page: Page, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const own = await schemeOf(page);
  await page.evaluate(() => scrollTo(0, 0));
  for (const colorScheme of ['dark', 'light'] as const) {
    await switchTo(page, colorScheme);
    const { width, height } = await page.evaluate(() => ({
      width: innerWidth,
      height: document.documentElement.scrollHeight,
    }));
    await page.screenshot({
      path: `${path}-${colorScheme}.png`,
      fullPage: true,
      clip: { x: 0, y: 0, width, height: Math.min(height, MOST_PIXELS_DOWN) },
    });
  }
  await page.emulateMedia({ colorScheme: own });
}
