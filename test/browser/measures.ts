import type { Page } from 'playwright-core';

/** The sizes of all visible text in the page itself, in pixels, smallest first. */
export function textSizes(page: Page): Promise<number[]> {
  return page.evaluate(() => {
    const sizes = new Set<number>();
    for (const element of document.querySelectorAll<HTMLElement>('body *')) {
      const hasText = [...element.childNodes].some(({ nodeType, nodeValue }) => nodeType === 3 && nodeValue?.trim());
      if (!hasText || !element.checkVisibility() || element.closest('.visually-hidden, dhara-player, svg')) continue;
      sizes.add(Math.round(Number.parseFloat(getComputedStyle(element).fontSize) * 100) / 100);
    }
    return [...sizes].sort((a, b) => a - b);
  });
}

/**
 * What can be pressed but is less than 24 px wide or high, and closer to another target than a circle of 24 px around it
 * allows (WCAG 2.2, 2.5.8). Links within a sentence do not count; a box counts with its label, and a link that covers its
 * card with it.
 */
export function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const TARGETS =
      'a[href], button, summary, select, input:not([type=hidden]), [role=button], [role=tab], [role=slider]';
    const LEFT_OUT = '.visually-hidden, .skip-link, dhara-player, .mantine-PillsInput-input input';
    const LEAST = 24;
    const isSmall = (element: Element): boolean => {
      const { width, height } = element.getBoundingClientRect();
      // Half a pixel is rounding.
      return Math.min(width, height) < LEAST - 0.5;
    };
    const isInSentence = (element: Element): boolean =>
      getComputedStyle(element).display === 'inline' &&
      [...(element.parentElement?.childNodes ?? [])].some(
        ({ nodeType, nodeValue }) => nodeType === 3 && nodeValue?.trim(),
      );
    const coversMore = (element: Element): boolean => {
      const { content, position } = getComputedStyle(element, '::after');
      return content !== 'none' && position === 'absolute';
    };
    const targets = [...document.querySelectorAll<HTMLElement>(TARGETS)].filter(
      (element) =>
        element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
        element.getBoundingClientRect().width > 0 &&
        !element.closest(LEFT_OUT) &&
        !element.matches(':disabled'),
    );
    const isCrowded = (element: Element): boolean => {
      const { left, right, top, bottom } = element.getBoundingClientRect();
      const [x, y] = [(left + right) / 2, (top + bottom) / 2];
      return targets.some((other) => {
        // What is scrolled under a phone's bar is not beside it.
        if (other.closest('nav') !== element.closest('nav')) return false;
        if (other === element || other.contains(element) || element.contains(other) || coversMore(other)) return false;
        const box = other.getBoundingClientRect();
        const away = Math.hypot(
          x - Math.max(box.left, Math.min(x, box.right)),
          y - Math.max(box.top, Math.min(y, box.bottom)),
        );
        return away < LEAST / 2;
      });
    };
    return targets
      .filter((element) => isSmall(element) && !isInSentence(element) && !coversMore(element) && isCrowded(element))
      .filter((element) => ![...((element as HTMLInputElement).labels ?? [])].some((label) => !isSmall(label)))
      .map((element) => {
        const { width, height } = element.getBoundingClientRect();
        const name = element.getAttribute('aria-label') ?? element.textContent.trim();
        return `${element.tagName.toLowerCase()} "${name.slice(0, 40)}" ${Math.round(width)} × ${Math.round(height)}`;
      });
  });
}
