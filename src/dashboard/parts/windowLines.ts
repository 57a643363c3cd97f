import { windowScroll } from '@tanstack/react-virtual';

/**
 * The virtualizer under our own name. Its functions change behind the same object, which a memoizing compiler would
 * miss; this dashboard is built without one.
 */
export { defaultRangeExtractor, useWindowVirtualizer as useWindowLines, type Range } from '@tanstack/react-virtual';

/**
 * Scrolls only to keep what is read in its place. When a list appears, the virtualizer would also scroll the window to where
 * it is, and the browser would lay out the page at once.
 */
export const keepPlace: typeof windowScroll = (offset, options, instance) => {
  if (options.adjustments !== undefined) windowScroll(offset, options, instance);
};
