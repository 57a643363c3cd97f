/**
 * The virtualizer under our own name. Its functions change behind the same object, which a memoizing compiler would
 * miss; this dashboard is built without one.
 */
export { defaultRangeExtractor, useWindowVirtualizer as useWindowLines, type Range } from '@tanstack/react-virtual';
