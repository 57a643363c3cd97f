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

/** Those of the rules that we run that read colors: axe-core’s category `cat.color`. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block'];

interface AxeOptions {
  /** Rules that do not apply to what the page shows. */
  readonly without?: readonly string[];
  /** Runs only the rules that read colors. */
  readonly colorsOnly?: boolean;
}

/** Everything that axe-core finds on the page as it is now, from minor to critical; empty if there is nothing. */
export async function axeFaults(page: Page, { without = [], colorsOnly = false }: AxeOptions = {}): Promise<string[]> {
  // Not by a script element: the page's policy allows only its own scripts.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE_SOURCE);
  const options: Axe.RunOptions = {
    resultTypes: ['violations'],
    ...(colorsOnly
      ? { runOnly: { type: 'rule', values: COLOR_RULES.filter((id) => !without.includes(id)) } }
      : { rules: Object.fromEntries(without.map((id) => [id, { enabled: false }])) }),
  };
  const violations = await page.evaluate(async (given) => {
    const { axe } = globalThis as unknown as { axe: typeof Axe };
    const results = await axe.run(given);
    // Not all results: copying them out of the page takes longer than a rule.
    return results.violations;
  }, options);
  return violations.flatMap(({ id, impact, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} (${impact}) ${JSON.stringify(target)} ${failureSummary}`),
  );
}
