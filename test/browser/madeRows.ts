import type { Page } from 'playwright-core';

/** Counts the rows that a list makes from now on. @returns asks how many */
export async function countMadeRows(page: Page): Promise<() => Promise<number>> {
  const made = await page.evaluateHandle(() => {
    const counted = { rows: 0 };
    new MutationObserver((changes) => {
      const added = changes.flatMap(({ addedNodes }) => [...addedNodes]).filter((node) => node instanceof Element);
      for (const node of added) counted.rows += node.querySelectorAll('[aria-rowindex]').length;
    }).observe(document.body, { childList: true, subtree: true });
    return counted;
  });
  return () => made.evaluate(({ rows }) => rows);
}
