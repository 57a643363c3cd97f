/** The anchors of the chapters that have their own pages; those of their parts begin with them. */
const MOVED = /^#(api|player|explain|analytics|pictures|money|events|test-mode|errors|webhooks)(?:-|$)/;

/**
 * All chapters were on one page once. Returns the path of the page that has the anchor today; undefined if it has not moved.
 * The first view loads this, so it does not import the chapters.
 */
export function movedPath(pathname: string, hash: string): string | undefined {
  const id = MOVED.exec(hash)?.[1];
  if (id === undefined || !/^\/docs\/?$/.test(pathname)) return undefined;
  // The API reference is at /docs/api.
  return `/docs/${id === 'api' ? 'rest-api' : id}`;
}
