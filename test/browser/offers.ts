import type { Page } from 'playwright-core';

/** What shows, sorts, filters or copies what is there. */
const HARMLESS =
  /^(Copy|Show|Hide|Clear|Select|Search|Refresh|Try again|Explain|Type|Position$|One row per job|only this video|[a-z]+\.[a-z]+)/;

/** Opens an address in the dashboard, and returns the controls that can be used and do more than change what is shown. */
export async function offersAt(page: Page, address: string): Promise<string[]> {
  await page.goto(address);
  await page.locator('main').getByRole('heading').first().waitFor();
  await page.waitForFunction(
    () => document.querySelector('main :is([aria-busy=true], .mantine-Skeleton-root, .mantine-Loader-root)') === null,
  );
  return page
    .locator('main')
    .locator('button, input, select, textarea, a[download]:not([href^="data:"]), [role=slider]')
    .evaluateAll((all, harmless) => {
      const isOffered = (one: Element): boolean =>
        one.checkVisibility() &&
        // The sliders of charts only choose a bar.
        !one.matches('.visually-hidden') &&
        !one.matches(':disabled, [aria-disabled=true], [readonly]') &&
        one.closest('[role=search], [role=columnheader], [role=tablist], [role=radiogroup], dhara-player') === null &&
        !one.matches('[aria-expanded], [aria-pressed]');
      const nameOf = (one: Element): string =>
        one.getAttribute('aria-label') ??
        ((one as HTMLInputElement).labels?.[0]?.textContent || one.textContent).trim();
      return all
        .filter(isOffered)
        .map(nameOf)
        .filter((name) => !new RegExp(harmless).test(name));
    }, HARMLESS.source);
}
