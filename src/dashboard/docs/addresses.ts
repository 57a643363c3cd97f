/** The page of each chapter, by its anchor. Both are addresses that others link to, so they must not change. */
export const PATHS = {
  'getting-started': '/docs',
  // The API reference is at /docs/api.
  api: '/docs/rest-api',
  player: '/docs/player',
  explain: '/docs/explain',
  analytics: '/docs/analytics',
  pictures: '/docs/pictures',
  money: '/docs/money',
  events: '/docs/events',
  'test-mode': '/docs/test-mode',
  errors: '/docs/errors',
  webhooks: '/docs/webhooks',
} as const;
export type ChapterId = keyof typeof PATHS;

/** The chapter that an anchor lies in: the anchors of its parts begin with its own. */
export function chapterIdOf(anchor: string): ChapterId | undefined {
  return (Object.keys(PATHS) as ChapterId[]).find((id) => anchor === id || anchor.startsWith(`${id}-`));
}

/** Where an address of the time when all chapters were on one page leads today; undefined if it is where it was. */
export function movedPath(pathname: string, hash: string): string | undefined {
  const id = chapterIdOf(hash.slice(1));
  if (pathname.replace(/\/$/, '') !== '/docs' || id === undefined || PATHS[id] === '/docs') return undefined;
  return PATHS[id];
}
