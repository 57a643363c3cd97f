import { windowScroll } from '@tanstack/react-virtual';

/**
 * The virtualizer under our own name. Its functions change behind the same object, which a memoizing compiler would
 * miss; this dashboard is built without one.
 */
export { defaultRangeExtractor, useWindowVirtualizer as useWindowLines, type Range } from '@tanstack/react-virtual';

/**
 * Scrolls as the virtualizer does, except when a list appears: then it would scroll the window to where it is, and the
 * browser would lay out the page at once.
 */
export const keepPlace: typeof windowScroll = (offset, options, instance) => {
  const appears = options.adjustments === undefined && !shown.has(instance);
  shown.add(instance);
  if (!appears) windowScroll(offset, options, instance);
};

const shown = new WeakSet<object>();
