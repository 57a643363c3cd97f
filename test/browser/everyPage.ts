import { join } from 'node:path';

import type { Page } from 'playwright-core';

import { accessibilityFaults, settled, switchTo } from './accessibility.js';
import { keepLook } from './look.js';
import { cutFields, cutTexts, overlaps, smallTargets, textSizes } from './measures.js';
import { ringFaults } from './rings.js';
import { SIZES } from './sizes.js';
import { DESKTOP, takeTurn, type Window } from './window.js';

const MOST_TEXT_SIZES = 7;
/** Where focus rings are checked. The first has the most stops, the other one the least space. */
const PHONE: Window = { viewport: SIZES[2], colorScheme: 'dark', reducedMotion: 'reduce' };
const RING_WINDOWS: readonly Window[] = [DESKTOP, PHONE];

/** The address of a route, with its parameters filled in. @throws for a parameter without an example */
export function addressOf(route: string, examples: Readonly<Record<string, string>>): string {
  const example = Object.entries(examples).find(([start]) => route.startsWith(start))?.[1];
  return route
    .replace(/:\w+\??/, (name) => {
      if (example === undefined) throw new Error(`${route} needs an example for ${name}`);
      return example;
    })
    .replace(/\*$/, 'no-such-page');
}

/**
 * Opens a page and returns what keeps anybody from using it: at each width, in light and in dark.
 *
 * One visit is enough for all: the page is only made wider and narrower.
 */
export async function visit(page: Page, address: string): Promise<string[]> {
  const name = address === '/' ? 'home' : address.slice(1).replaceAll(/\W+/g, '-').slice(0, 60);
  const faults: string[] = [];
  await takeTurn(page, DESKTOP);
  await page.goto(address);
  await page.locator('main:not(.sketch)').getByRole('heading', { level: 1 }).waitFor();
  for (const size of SIZES) {
    await page.setViewportSize(size);
    const found = await accessibilityFaults(page, { schemes: ['light', 'dark'] });
    const sizes = await textSizes(page);
    if (sizes.length > MOST_TEXT_SIZES) found.push(`${sizes.length} sizes of text: ${sizes.join(', ')}`);
    found.push(...(await smallTargets(page)), ...(await overlaps(page)));
    found.push(...(await cutTexts(page)), ...(await cutFields(page)));
    faults.push(...found.map((fault) => `${address} at ${size.width}: ${fault}`));
    const folder = process.env['DHARA_SCREENSHOTS'];
    if (folder) await keepLook(page, join(folder, `every-${name}-${size.width}`));
  }
  for (const { viewport, colorScheme } of RING_WINDOWS) {
    await page.setViewportSize(viewport);
    await switchTo(page, colorScheme);
    await settled(page);
    const found = await ringFaults(page);
    faults.push(...found.map((fault) => `${address} at ${viewport.width}, ${colorScheme}: ${fault}`));
  }
  return faults;
}
