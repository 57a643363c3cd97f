import type { Page } from 'playwright-core';

interface Figure {
  /** In ms, as a share of 1, or a count. */
  readonly value: number;
  readonly note: string;
}

/** What the page of analytics shows of one video. */
export interface Shown {
  readonly figures: Readonly<Record<string, Figure>>;
  /** The sum of all bars. */
  readonly viewsOverTime: number;
  /** By country, of which the service of the test knows none. */
  readonly breakdown: readonly { readonly views: number; readonly uniqueViews: number; readonly watchedMs: number }[];
  /** The share of plays that watched each hundredth. */
  readonly retention: readonly number[];
}

const UNITS_MS: Readonly<Record<string, number>> = { s: 1_000, min: 60_000, h: 3_600_000 };

/** Reads the numbers from the open page, as the words that a person reads. */
export async function shownIn(page: Page): Promise<Shown> {
  const rowsOf = async (region: string): Promise<string[][]> => {
    const rows = page.getByRole('region', { name: region, exact: true }).getByRole('row');
    await rows.nth(1).waitFor();
    return rows.evaluateAll((all) =>
      all.slice(1).map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent)),
    );
  };
  const breakdown = await rowsOf('Breakdown');
  const retention = await rowsOf('Retention');
  const overTime = await page
    .getByRole('table', { name: /^Views per / })
    .getByRole('row')
    .evaluateAll((all) => all.slice(1).map((row) => row.querySelector('td')!.textContent));
  const figures = await page.locator('main dl > div').evaluateAll((all) =>
    all.map((one) => {
      const [text = '', note = ''] = [...one.querySelectorAll('dd')].map((line) => line.textContent);
      return [one.querySelector('dt')!.textContent, text, note] as const;
    }),
  );
  return {
    figures: Object.fromEntries(figures.map(([label, text, note]) => [label, { value: valueOf(text), note }])),
    viewsOverTime: overTime.reduce((sum, text) => sum + valueOf(text), 0),
    breakdown: breakdown.map(([views = '', uniqueViews = '', watchTime = '']) => ({
      views: valueOf(views),
      uniqueViews: valueOf(uniqueViews),
      watchedMs: valueOf(watchTime),
    })),
    retention: retention.map((cells) => valueOf(cells.at(-1)!)),
  };
}

/** "1,250", "40.3 s", "12.5 min", "66.7%" */
export function valueOf(text: string): number {
  const [, digits = '', unit = ''] = /^([\d,.]+)\s?(s|min|h|%|)$/.exec(text) ?? [];
  const value = Number(digits.replaceAll(',', ''));
  if (digits === '') throw new Error(`not a number: ${text}`);
  return unit === '%' ? value / 100 : value * (UNITS_MS[unit] ?? 1);
}
