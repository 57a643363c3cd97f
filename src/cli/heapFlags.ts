/**
 * V8 flags for a service. Its defaults are for programs that keep what they allocate: under many short requests, they
 * would let 128 MB of young and as much of old garbage accumulate beside the 60 MB that the service really holds. Smaller
 * steps cost slightly more collections. None of the flags is a hard limit, so a service that needs more gets it.
 */
export const HEAP_FLAGS: readonly string[] = [
  '--max-semi-space-size=8',
  '--heap-growing-percent=40',
  '--initial-heap-size=96',
  // Rows survive collections while many requests wait. V8 would then put later rows into the old generation at once,
  // where they stay, with all they refer to, until the next full collection.
  '--no-allocation-site-pretenuring',
];
