import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

import type * as Axe from 'axe-core';
import type { Page } from 'playwright-core';

/**
 * What the rule `region` takes for a separate place: axe-core's list, and the options of a field. They open beside it in no
 * landmark, and are reached through the field.
 */
const REGIONS = 'dialog, [role=dialog], [role=alertdialog], svg, [role=listbox]';

const AXE_SOURCE = `${readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')};
  axe.configure({ checks: [{ id: 'region', options: { regionMatcher: '${REGIONS}' } }] });`;

/**
 * Everything that axe-core finds on the page as it is now, from minor to critical; empty if there is nothing.
 *
 * @param without rules that do not apply to what the page shows
 */
export async function axeFaults(page: Page, without: readonly string[] = []): Promise<string[]> {
  // Not by a script element: the page's policy allows only its own scripts.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE_SOURCE);
  const violations = await page.evaluate(async (off) => {
    const { axe } = globalThis as unknown as { axe: typeof Axe };
    const rules = Object.fromEntries(off.map((id) => [id, { enabled: false }]));
    const results = await axe.run({ resultTypes: ['violations'], rules });
    // Not all results: copying them out of the page takes longer than a rule.
    return results.violations;
  }, without);
  return violations.flatMap(({ id, impact, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} (${impact}) ${JSON.stringify(target)} ${failureSummary}`),
  );
}
