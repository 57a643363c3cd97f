import { followShared, type Batch } from '../processing/batch.js';
import type { Choice } from '../processing/choice.js';

/** Options for all chosen files, or for single ones. */
export interface Wishes extends Choice {
  /** Buy the processing as soon as the length is known, without asking again. */
  readonly autoProcess: boolean;
}

/** The files that were chosen but not sent yet. */
export interface Drafts {
  readonly files: readonly File[];
  /** Titles that the user typed. */
  readonly titles: ReadonlyMap<File, string>;
  readonly wishes: Batch<File, Wishes>;
}

const NOTHING: Drafts = {
  files: [],
  titles: new Map(),
  wishes: {
    shared: { quality: 'P1080', autoProcess: true, branding: false, encryption: false, normalizeLoudness: false },
    own: new Map(),
  },
};

/** Keeps drafts while the user visits other pages, such as the settings for a logo or the wallet for credits. */
export class DraftStore {
  #drafts = NOTHING;
  readonly #listeners = new Set<() => void>();

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly snapshot = (): Drafts => this.#drafts;

  add(files: readonly File[]): void {
    this.change(({ files: before }) => ({ files: [...before, ...files] }));
  }

  /** Removes a file that was sent or left out. After the last one, all options are reset. */
  remove(file: File): void {
    this.change(({ files, titles, wishes }) => {
      const left = files.filter((other) => other !== file);
      if (left.length === 0) return NOTHING;
      return {
        files: left,
        titles: new Map([...titles].filter(([other]) => other !== file)),
        wishes: followShared(wishes, file),
      };
    });
  }

  readonly change = (next: (before: Drafts) => Partial<Drafts>): void => {
    this.#drafts = { ...this.#drafts, ...next(this.#drafts) };
    for (const listener of this.#listeners) listener();
  };
}

/** "summer_party-2024.mov" → "summer party 2024". */
export function titleOf({ titles }: Drafts, file: File): string {
  const typed = titles.get(file);
  if (typed !== undefined) return typed;
  const words = file.name
    .replace(/\.[^.]+$/, '')
    .replaceAll(/[_-]+/g, ' ')
    .trim();
  return words || file.name;
}
