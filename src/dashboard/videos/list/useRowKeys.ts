import { useLayoutEffect } from 'react';

/** Links to the videos of the list, in their order. */
const ROWS = '[data-video-link]';
/** Where keys are text or have a meaning of their own. */
const TYPED_IN = 'input:not([type=checkbox]), textarea, select, [contenteditable], [role=dialog], [role=combobox]';

/**
 * Keys for the list of videos: J and K or the arrows move from row to row, X selects, and Enter opens, since a link has
 * the focus. A windowed list keeps the focused row and its neighbours rendered.
 */
export function useRowKeys(): void {
  // Before the page is painted: whoever sees the rows can press their keys.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const { key, target, ctrlKey, metaKey, altKey } = event;
      if (event.defaultPrevented || ctrlKey || metaKey || altKey || !(target instanceof Element)) return;
      if (target.closest(TYPED_IN) || document.querySelector('[role=dialog][aria-modal=true]')) return;
      const row = target.closest('[role=row], article');
      const here = row?.querySelector<HTMLElement>(ROWS) ?? null;
      if (key === 'x' && row && here) row.querySelector<HTMLInputElement>('input[type=checkbox]')?.click();
      else if (key === 'j' || (key === 'ArrowDown' && here)) moveFrom(here, 1);
      else if (key === 'k' || (key === 'ArrowUp' && here)) moveFrom(here, -1);
      else return;
      event.preventDefault();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
}

function moveFrom(here: HTMLElement | null, step: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLElement>(ROWS)];
  const at = here ? links.indexOf(here) + step : links.findIndex((link) => link.getBoundingClientRect().top >= 0);
  links[at]?.focus();
}
