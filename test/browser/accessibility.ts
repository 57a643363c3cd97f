import type { Page } from 'playwright-core';

/**
 * Once a room is there: what a page must have for whoever cannot see or point: a language, one heading of the first rank, unique ids, and a
 * name for everything that can be operated. Returns what is amiss, nothing where all is well.
 */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForFunction(() => document.querySelector('[aria-busy=true]') === null);
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
