import type { Page } from 'playwright-core';

/**
 * What the Tab key can reach on a page, or in the dialog or panel that is open, without the ring that everything has: in its color,
 * at least 2 px wide, not cut off, and with a contrast of 3 to what lies around it (WCAG 2.2, 1.4.11). The player draws its
 * own.
 */
export async function ringFaults(page: Page): Promise<string[]> {
  await page.evaluate(watchFocus);
  // From here on, the browser shows where the focus is, whoever moves it: one request is enough for all stops.
  await page.keyboard.press('Tab');
  return page.evaluate(() => {
    const { rings } = window as unknown as { rings: { walk: () => string[] } };
    return rings.walk();
  });
}

/** Runs in the page. Checks each element that gets the focus. */
function watchFocus(): void {
  const STOPS =
    'a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea, summary, [tabindex="0"]';
  const LEFT_OUT = 'dhara-player, iframe';
  const LEAST_WIDTH = 2;
  const LEAST_CONTRAST = 3;
  const faults = new Set<string>();
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true })!;
  const probe = document.body.appendChild(document.createElement('i'));
  probe.style.color = 'var(--dhara-focus)';
  const focusColor = getComputedStyle(probe).color;
  probe.remove();

  const check = ({ target }: FocusEvent): void => {
    const focused = target as HTMLElement;
    if (focused.closest(LEFT_OUT)) return;
    // As the browser does, but only after this event.
    (focused as HTMLElement & { scrollIntoViewIfNeeded: () => void }).scrollIntoViewIfNeeded();
    const fault = faultOf(focused);
    if (fault) faults.add(`${nameOf(focused)} ${fault}`);
  };
  document.addEventListener('focusin', check);
  Object.assign(window, {
    rings: {
      walk: () => {
        // Tab does not leave a dialog, nor the panel of a button.
        const dialog = [...document.querySelectorAll('[role=dialog]')].findLast((one) => one.checkVisibility());
        for (const stop of (dialog ?? document).querySelectorAll<HTMLElement>(STOPS)) {
          if (stop.tabIndex >= 0 && stop.checkVisibility()) stop.focus();
        }
        document.removeEventListener('focusin', check);
        (document.activeElement as HTMLElement | null)?.blur();
        scrollTo(0, 0);
        return [...faults];
      },
    },
  });

  function faultOf(focused: HTMLElement): string | undefined {
    const drawn = drawnBy(focused);
    if (!drawn) return 'has no focus ring';
    const { element, style } = drawn;
    const widthPx = Number.parseFloat(style.outlineWidth);
    if (style.outlineStyle !== 'solid' || widthPx < LEAST_WIDTH || style.outlineColor !== focusColor) {
      return `has another focus ring: ${style.outlineWidth} ${style.outlineStyle} ${style.outlineColor}`;
    }
    const offsetPx = Number.parseFloat(style.outlineOffset);
    const behind = backgroundsOf(offsetPx < 0 || drawn.isPseudo ? element : element.parentElement!);
    if (offsetPx < 0 && drawn.isPseudo) behind.push(style.backgroundColor);
    const contrast = contrastOf(style.outlineColor, behind);
    if (contrast < LEAST_CONTRAST) return `has a focus ring with a contrast of ${contrast.toFixed(1)}`;
    // The place of what is drawn before or after its content is not known.
    return drawn.isPseudo ? undefined : cutBy(element, offsetPx + widthPx);
  }

  /** Some draw it around what holds the whole control, beside them, or around a part of them. */
  function drawnBy(focused: HTMLElement) {
    const outer: Element[] = [];
    for (let one = focused.parentElement; one && one !== document.body; one = one.parentElement) outer.push(one);
    const candidates = [focused, focused.nextElementSibling, ...outer].filter(
      (one): one is Element => one !== null && canBeSeen(one),
    );
    for (const element of candidates) {
      for (const pseudo of [undefined, '::before', '::after']) {
        const style = getComputedStyle(element, pseudo);
        const isShown = style.outlineStyle !== 'none' && style.outlineWidth !== '0px';
        if (isShown && (!pseudo || style.content !== 'none')) return { element, style, isPseudo: pseudo !== undefined };
      }
    }
    return undefined;
  }

  /** Not the input that a switch or a segment hides. */
  function canBeSeen(element: Element): boolean {
    const { width, height } = element.getBoundingClientRect();
    return Math.min(width, height) > 4 && element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  }

  function cutBy(element: Element, reachPx: number): string | undefined {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    const ring = { left: left - reachPx, right: right + reachPx, top: top - reachPx, bottom: bottom + reachPx };
    // Half a pixel is rounding.
    if (ring.left < -0.5 || ring.right > innerWidth + 0.5) return 'has a focus ring that leaves the window';
    let { position } = getComputedStyle(element);
    for (let box = element.parentElement; box && box !== document.body; box = box.parentElement) {
      if (position === 'fixed') return undefined;
      const style = getComputedStyle(box);
      // Only what holds an absolute element cuts it off.
      if (position === 'absolute' && style.position === 'static') continue;
      position = style.position;
      const edge = box.getBoundingClientRect();
      const sides = [
        ...(style.overflowX === 'visible' ? [] : [edge.left - ring.left, ring.right - edge.right]),
        ...(style.overflowY === 'visible' ? [] : [edge.top - ring.top, ring.bottom - edge.bottom]),
      ];
      const cutPx = Math.max(0, ...sides);
      if (cutPx > 0.5) return `has a focus ring of which ${nameOf(box)} cuts off ${cutPx.toFixed(1)} px`;
    }
    return undefined;
  }

  function backgroundsOf(element: Element): string[] {
    const found: string[] = [];
    for (let box: Element | null = element; box; box = box.parentElement)
      found.unshift(getComputedStyle(box).backgroundColor);
    return ['white', ...found];
  }

  function contrastOf(color: string, layers: readonly string[]): number {
    const both = [luminanceOf(layers), luminanceOf([...layers, color])];
    return (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05);
  }

  /** How bright the topmost of several layers looks. */
  function luminanceOf(layers: readonly string[]): number {
    for (const layer of layers) {
      canvas.fillStyle = layer;
      canvas.fillRect(0, 0, 1, 1);
    }
    const [red = 0, green = 0, blue = 0] = [...canvas.getImageData(0, 0, 1, 1).data].map((part) =>
      part / 255 <= 0.040_45 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4,
    );
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  }

  function nameOf(element: Element): string {
    const name = element.getAttribute('aria-label') ?? element.textContent.trim().replaceAll(/\s+/g, ' ');
    return `${element.tagName.toLowerCase()}${name ? ` "${name.slice(0, 40)}"` : `.${element.className}`}`;
  }
}
