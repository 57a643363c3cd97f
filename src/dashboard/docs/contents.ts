import { words } from '#words/docs.js';
import { chapterIdOf, PATHS } from './addresses.js';

export interface Chapter {
  /** Its heading's anchor. The anchors of its parts begin with it. */
  readonly id: string;
  /** Its page. */
  readonly path: string;
  readonly title: string;
  readonly note: string;
}

/** The chapters in order. */
export const CHAPTERS = [
  { id: 'getting-started', path: PATHS['getting-started'], ...words.chapters.gettingStarted },
  { id: 'api', path: PATHS.api, ...words.chapters.api },
  { id: 'player', path: PATHS.player, ...words.chapters.player },
  { id: 'explain', path: PATHS.explain, ...words.chapters.explain },
  { id: 'analytics', path: PATHS.analytics, ...words.chapters.analytics },
  { id: 'pictures', path: PATHS.pictures, ...words.chapters.pictures },
  { id: 'money', path: PATHS.money, ...words.chapters.money },
  { id: 'events', path: PATHS.events, ...words.chapters.events },
  { id: 'test-mode', path: PATHS['test-mode'], ...words.chapters.testMode },
  { id: 'errors', path: PATHS.errors, ...words.chapters.errors },
] as const satisfies readonly Chapter[];

/** For those who run the service. Owners do not need them. */
export const OPERATOR_CHAPTERS = [
  { id: 'webhooks', path: PATHS.webhooks, ...words.chapters.webhooks },
] as const satisfies readonly Chapter[];

export const ALL_CHAPTERS = [...CHAPTERS, ...OPERATOR_CHAPTERS];

/** The chapter that an anchor lies in. */
export function chapterOf(anchor: string): (typeof ALL_CHAPTERS)[number] | undefined {
  const wanted = chapterIdOf(anchor);
  return ALL_CHAPTERS.find(({ id }) => id === wanted);
}
