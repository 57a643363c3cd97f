import { words } from '#words/docs.js';

export interface Chapter {
  readonly id: string;
  readonly title: string;
}

/** The chapters in order. Ids are addresses that others link to, so they must not change. */
export const CHAPTERS = [
  { id: 'getting-started', title: words.chapters.gettingStarted },
  { id: 'api', title: words.chapters.api },
  { id: 'player', title: words.chapters.player },
  { id: 'explain', title: words.chapters.explain },
  { id: 'analytics', title: words.chapters.analytics },
  { id: 'pictures', title: words.chapters.pictures },
  { id: 'money', title: words.chapters.money },
  { id: 'events', title: words.chapters.events },
  { id: 'webhooks', title: words.chapters.webhooks },
  { id: 'errors', title: words.chapters.errors },
] as const satisfies readonly Chapter[];
