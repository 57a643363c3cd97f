/**
 * The virtualizer under a name of ours. Its functions change behind the same object, which code that is memoised by a
 * compiler would miss; this dashboard is built without one.
 */
export { defaultRangeExtractor, useWindowVirtualizer as useWindowLines, type Range } from '@tanstack/react-virtual';
