import { useLayoutEffect } from 'react';
import { isFreeKey } from '../../lib/freeKeys.js';

/** Links to the videos of the list, in their order. */
const ROWS = '[data-video-link]';

/**
 * Keys for the list of videos: J and K or the arrows move from row to row, X selects, and Enter opens, since a link has
 * the focus. A windowed list keeps the focused row and its neighbours rendered.
 */
export function useRowKeys(): void {
  // Before the page is painted: once the rows are visible, their keys work.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const { key, target } = event;
      if (!(target instanceof Element) || !isFreeKey(event)) return;
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
