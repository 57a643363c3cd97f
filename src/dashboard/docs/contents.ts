import { words } from '#words/docs.js';

export interface Chapter {
  /** Its heading's anchor. The anchors of its parts begin with it. */
  readonly id: string;
  /** Its page. */
  readonly path: string;
  readonly title: string;
  readonly note: string;
}

/** The chapters in order. Ids and paths are addresses that others link to, so they must not change. */
export const CHAPTERS = [
  { id: 'getting-started', path: '/docs', ...words.chapters.gettingStarted },
  // The API reference is at /docs/api.
  { id: 'api', path: '/docs/rest-api', ...words.chapters.api },
  { id: 'player', path: '/docs/player', ...words.chapters.player },
  { id: 'explain', path: '/docs/explain', ...words.chapters.explain },
  { id: 'analytics', path: '/docs/analytics', ...words.chapters.analytics },
  { id: 'pictures', path: '/docs/pictures', ...words.chapters.pictures },
  { id: 'money', path: '/docs/money', ...words.chapters.money },
  { id: 'events', path: '/docs/events', ...words.chapters.events },
  { id: 'test-mode', path: '/docs/test-mode', ...words.chapters.testMode },
  { id: 'errors', path: '/docs/errors', ...words.chapters.errors },
] as const satisfies readonly Chapter[];

/** For those who run the service. Owners do not need them. */
export const OPERATOR_CHAPTERS = [
  { id: 'webhooks', path: '/docs/webhooks', ...words.chapters.webhooks },
] as const satisfies readonly Chapter[];

export const ALL_CHAPTERS = [...CHAPTERS, ...OPERATOR_CHAPTERS];
export type ChapterId = (typeof ALL_CHAPTERS)[number]['id'];

/** The chapter that contains an anchor. */
export function chapterOf(anchor: string): (typeof ALL_CHAPTERS)[number] | undefined {
  return ALL_CHAPTERS.find(({ id }) => anchor === id || anchor.startsWith(`${id}-`));
}
