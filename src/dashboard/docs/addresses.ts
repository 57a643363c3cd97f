/** The anchors of the chapters that have pages of their own; those of their parts begin with them. */
const MOVED = /^#(api|player|explain|analytics|pictures|money|events|test-mode|errors|webhooks)(?:-|$)/;

/**
 * Where an address of the time when all chapters were on one page leads today; undefined if it is where it was. Part of the
 * first view, so it knows nothing else of the chapters.
 */
export function movedPath(pathname: string, hash: string): string | undefined {
  const id = MOVED.exec(hash)?.[1];
  if (id === undefined || !/^\/docs\/?$/.test(pathname)) return undefined;
  // The API reference is at /docs/api.
  return `/docs/${id === 'api' ? 'rest-api' : id}`;
}
