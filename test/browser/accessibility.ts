import type { Page } from 'playwright-core';

import { axeFaults } from '../support/browser/axe.js';
import { IS_FULL } from '../support/effort.js';
import { palePlaceholders } from './measures.js';

const SCHEMES = ['dark', 'light'] as const;
type Scheme = (typeof SCHEMES)[number];

export interface LookOptions {
  /** By default that of the window, or with `TEST_FULL=1` both. */
  readonly schemes?: readonly Scheme[];
  /** Rules of axe-core that do not apply to what the page shows. */
  readonly without?: readonly string[];
}

/**
 * Waits for the page, and returns faults that keep anybody from using it; empty if there are none. axe-core checks it
 * in each scheme: with all rules in the first, and in the other with those that read colors, unless more differs. Our
 * own checks cover what axe-core does not, such as a page that is wider than its window. Leaves the page in its own scheme.
 */
export async function accessibilityFaults(page: Page, { schemes, without = [] }: LookOptions = {}): Promise<string[]> {
  await settled(page);
  const own = await schemeOf(page);
  const faults = await ownFaults(page);
  let checked: string | undefined;
  for (const scheme of schemes ?? (IS_FULL ? SCHEMES : [own])) {
    await switchTo(page, scheme);
    const structure = await structureOf(page);
    const found = await axeFaults(page, { without, colorsOnly: structure === checked });
    found.push(...(await palePlaceholders(page)));
    faults.push(...found.map((fault) => `${scheme}: ${fault}`));
    checked = structure;
  }
  await page.emulateMedia({ colorScheme: own });
  return faults;
}

/** Which scheme the window asks for. */
export function schemeOf(page: Page): Promise<Scheme> {
  return page.evaluate(() => (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'));
}

/** Waits until the page has loaded, and is drawn for the width that its window has now. */
export async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForFunction(() => document.querySelector('[aria-busy=true]') === null);
  // Charts are redrawn some time after the window has another width. A page that stays too wide is a fault.
  await page.waitForFunction(() => document.documentElement.scrollWidth <= innerWidth).catch(() => undefined);
}

/** Shows the page in this scheme, and waits until nothing fades any more. */
export async function switchTo(page: Page, colorScheme: Scheme): Promise<void> {
  // Without motion, because a color that is fading has another contrast.
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  await page.waitForFunction((scheme) => {
    const given = document.documentElement.dataset['mantineColorScheme'];
    return given === undefined || given === scheme;
  }, colorScheme);
  await page.waitForFunction(() =>
    document.getAnimations().every(({ effect, playState }) => {
      return playState !== 'running' || effect?.getComputedTiming().endTime === Number.POSITIVE_INFINITY;
    }),
  );
}

/**
 * What the rules that ignore colors read: elements, attributes and texts, which of them show, and where. It leaves out the
 * attributes of `<html>`, what is typed into fields, and the content of pseudo-elements, none of which depends on the
 * scheme here.
 */
function structureOf(page: Page): Promise<string> {
  return page.evaluate(() => {
    const parts: string[] = [];
    const add = (root: HTMLElement | ShadowRoot): void => {
      parts.push(root.innerHTML);
      for (const element of root.querySelectorAll('*')) {
        const { x, y, width, height } = element.getBoundingClientRect();
        const shows = element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
        parts.push([shows, x, y, width, height].join());
        if (element.shadowRoot) add(element.shadowRoot);
      }
    };
    add(document.body);
    return parts.join('\n');
  });
}

/**
 * Requirements for people who cannot see or point: a language, one first-level heading, unique ids, and a name for
 * every control.
 */
async function ownFaults(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const faults: string[] = [];
    if (!document.documentElement.lang) faults.push('the page has no language');
    const headings = [...document.querySelectorAll('h1')].filter((heading) => heading.checkVisibility());
    if (headings.length !== 1) faults.push(`${headings.length} headings of the first rank`);

    const ids = [...document.querySelectorAll('[id]')].map((element) => element.id);
    for (const id of new Set(ids.filter((id, index) => ids.indexOf(id) !== index))) faults.push(`id ${id} twice`);

    const operable = 'a[href], button, input:not([type=hidden]), select, textarea, [role=button], [role=progressbar]';
    for (const element of document.querySelectorAll<HTMLElement>(operable)) {
      const reachable = element.checkVisibility({ visibilityProperty: true }) && !element.closest('[aria-hidden=true]');
      if (reachable && !nameOf(element)) {
        faults.push(`no name: ${element.outerHTML.slice(0, 160)}`);
      }
    }
    // A class of the component library whose rules were not shipped.
    const rules = [...document.styleSheets]
      .flatMap((sheet) => [...sheet.cssRules].map(({ cssText }) => cssText))
      .join();
    const classes = [...document.querySelectorAll('[class]')].flatMap((element) => [...element.classList]);
    for (const name of new Set(classes.filter((name) => /^m_[\da-f]+$/.test(name) && !rules.includes(`.${name}`)))) {
      faults.push(`no style: ${name} of ${document.querySelector(`.${name}`)?.className}`);
    }
    for (const image of document.querySelectorAll('img:not([alt])')) faults.push(`no alt: ${image.outerHTML}`);
    if (document.documentElement.scrollWidth > innerWidth) faults.push('wider than the window');
    return faults;

    function nameOf(element: HTMLElement): string {
      const labelledBy = element.getAttribute('aria-labelledby')?.split(' ') ?? [];
      const labels =
        element instanceof HTMLInputElement || element instanceof HTMLSelectElement ? element.labels : null;
      return [
        element.getAttribute('aria-label'),
        ...labelledBy.map((id) => document.getElementById(id)?.textContent),
        ...[...(labels ?? [])].map((label) => label.textContent),
        element instanceof HTMLTextAreaElement ? element.labels[0]?.textContent : '',
        element.matches('a, button, [role=button]') ? element.textContent : '',
      ]
        .join('')
        .trim();
    }
  });
}
