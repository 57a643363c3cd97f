/**
 * Returns a function that calls `make` when it is first used, and returns the same value ever after. For formats: making
 * one takes a phone several milliseconds, a page uses few of them, and modules are evaluated before the page shows.
 */
export function madeOnce<Value>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => (made ??= make());
}
