import type { JSHandle, Locator, Page } from 'playwright-core';

/** The dialog that was opened last, or `part` if there is none: nobody uses what is behind a dialog. */
function openPart(page: Page, part: 'main' | 'body'): Promise<JSHandle<Element>> {
  return page.evaluateHandle((selector) => {
    const dialog = [...document.querySelectorAll('[role=dialog]')].findLast((one) => one.checkVisibility());
    return dialog ?? document.querySelector(selector) ?? document.body;
  }, part);
}

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
export async function smallTargets(page: Page): Promise<string[]> {
  const part = await openPart(page, 'body');
  return part.evaluate((root) => {
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
    const targets = [...root.querySelectorAll<HTMLElement>(TARGETS)].filter(
      (element) =>
        element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
        element.getBoundingClientRect().width > 0 &&
        !element.closest(LEFT_OUT) &&
        !element.matches(':disabled'),
    );
    const barOf = (element: Element | null): Element | null =>
      element === null || ['fixed', 'sticky'].includes(getComputedStyle(element).position)
        ? element
        : barOf(element.parentElement);
    const isCrowded = (element: Element): boolean => {
      const { left, right, top, bottom } = element.getBoundingClientRect();
      const [x, y] = [(left + right) / 2, (top + bottom) / 2];
      return targets.some((other) => {
        // What is scrolled under a bar is not beside it.
        if (barOf(other) !== barOf(element)) return false;
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

/** Texts in the page itself that are cut off, as they are in a column that is too narrow for them. */
export function cutTexts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    for (const element of document.querySelectorAll<HTMLElement>('main *')) {
      if (!element.checkVisibility({ visibilityProperty: true }) || element.closest('.visually-hidden, dhara-player'))
        continue;
      const { textOverflow, overflowX, webkitLineClamp } = getComputedStyle(element);
      const isCut =
        (textOverflow === 'ellipsis' && overflowX !== 'visible' && element.scrollWidth > element.clientWidth + 1) ||
        (webkitLineClamp !== 'none' && element.scrollHeight > element.clientHeight + 1);
      if (isCut && element.clientWidth > 1)
        found.push(`“${element.textContent.trim().slice(0, 60)}” is cut at ${element.clientWidth} px`);
    }
    return found;
  });
}

/** Fields whose placeholder, or one of whose options, is wider than they are. Long lists, as of countries, are not ours. */
export async function cutFields(page: Page): Promise<string[]> {
  const part = await openPart(page, 'body');
  return part.evaluate((root) => {
    const OWN_OPTIONS = 25;
    const canvas = document.createElement('canvas').getContext('2d')!;
    const textsOf = (field: HTMLInputElement | HTMLSelectElement): string[] => {
      if (field instanceof HTMLSelectElement)
        return field.options.length > OWN_OPTIONS ? [] : [...field.options].map(({ label }) => label);
      return field.value === '' ? [field.placeholder] : [];
    };
    return [...root.querySelectorAll<HTMLInputElement | HTMLSelectElement>('input, select')].flatMap((field) => {
      const isShown = field.checkVisibility({ visibilityProperty: true, opacityProperty: true });
      if (!isShown || field.closest('.visually-hidden')) return [];
      const { font, paddingLeft, paddingRight } = getComputedStyle(field);
      canvas.font = font;
      const inside = field.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight);
      return textsOf(field)
        .filter((text) => canvas.measureText(text).width > inside + 1)
        .map((text) => `“${text}” is cut in a field of ${Math.floor(inside)} px`);
    });
  });
}

/** Placeholders with a contrast below 4.5, which axe-core does not check. */
export function palePlaceholders(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const LEAST = 4.5;
    const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true })!;
    /** How bright the topmost of several layers looks: a canvas, too, lets through what lies below. */
    const luminanceOf = (layers: readonly { color: string; opacity?: string }[]): number => {
      canvas.clearRect(0, 0, 1, 1);
      for (const { color, opacity = '1' } of layers) {
        canvas.globalAlpha = Number(opacity);
        canvas.fillStyle = color;
        canvas.fillRect(0, 0, 1, 1);
      }
      const [red = 0, green = 0, blue = 0] = [...canvas.getImageData(0, 0, 1, 1).data].map((part) =>
        part / 255 <= 0.040_45 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4,
      );
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const backgroundsOf = (field: Element): { color: string }[] => {
      const found = [];
      for (let box: Element | null = field; box; box = box.parentElement)
        found.unshift({ color: getComputedStyle(box).backgroundColor });
      return [{ color: 'white' }, ...found];
    };
    return [...document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('input, textarea')].flatMap(
      (field) => {
        if (field.placeholder === '' || field.value !== '' || field.disabled || !field.checkVisibility()) return [];
        const { color, opacity } = getComputedStyle(field, '::placeholder');
        const below = backgroundsOf(field);
        const both = [luminanceOf(below), luminanceOf([...below, { color, opacity }])];
        const contrast = (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05);
        return contrast < LEAST
          ? [`the placeholder “${field.placeholder}” has a contrast of ${contrast.toFixed(1)}`]
          : [];
      },
    );
  });
}

/** Texts that run into each other, as two columns that have become too narrow do: in the dialog that is open, or in the page. */
export async function overlaps(page: Page): Promise<string[]> {
  const part = await openPart(page, 'main');
  return part.evaluate((root) => {
    const LEFT_OUT = '.visually-hidden, dhara-player, svg, nav, [role=tooltip], [aria-hidden=true]';
    const texts: { text: string; element: Element; box: DOMRect }[] = [];
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const element = node.parentElement!;
      const text = node.nodeValue!.trim();
      if (text === '' || !element.checkVisibility({ visibilityProperty: true }) || element.closest(LEFT_OUT)) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      for (const line of range.getClientRects()) {
        const box = visiblePart(line, element);
        if (box.width > 1 && box.height > 1) texts.push({ text, element, box });
      }
    }
    const found = new Set<string>();
    for (const [nth, one] of texts.entries()) {
      for (const other of texts.slice(nth + 1)) {
        if (one.element === other.element) continue;
        const wide = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
        const high = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
        // Lines of text are a little higher than their letters.
        if (wide > 2 && high > 5) found.add(`“${one.text.slice(0, 40)}” runs into “${other.text.slice(0, 40)}”`);
      }
    }
    return [...found];

    /** What its containers do not cut off. */
    function visiblePart(line: DOMRect, element: Element): DOMRect {
      let { left, right, top, bottom } = line;
      for (let box: Element | null = element; box && box !== root; box = box.parentElement) {
        const { overflowX, overflowY, position, clipPath } = getComputedStyle(box);
        const edge = box.getBoundingClientRect();
        if (overflowX !== 'visible') [left, right] = [Math.max(left, edge.left), Math.min(right, edge.right)];
        if (overflowY !== 'visible') [top, bottom] = [Math.max(top, edge.top), Math.min(bottom, edge.bottom)];
        // What is fixed or sticks lies over the page, which scrolls under it.
        // On a phone, only screen readers have the heads of tables.
        if (position === 'fixed' || position === 'sticky' || clipPath !== 'none') return new DOMRect(0, 0, 0, 0);
      }
      return new DOMRect(left, top, Math.max(0, right - left), Math.max(0, bottom - top));
    }
  });
}

/** Whether an element’s background is red or yellow to the eye, or neither. */
export function colorOf(element: Locator): Promise<'red' | 'yellow' | 'other'> {
  return element.evaluate((one) => {
    const context = new OffscreenCanvas(1, 1).getContext('2d')!;
    context.fillStyle = getComputedStyle(one).backgroundColor;
    context.fillRect(0, 0, 1, 1);
    const [red = 0, green = 0, blue = 0] = context.getImageData(0, 0, 1, 1).data;
    if (red <= blue) return 'other';
    // Yellow has much of its green; red has as little green as blue.
    return green - blue > (red - blue) / 2 ? 'yellow' : 'red';
  });
}
