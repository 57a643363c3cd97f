import type { IconName } from '../parts/Icon.js';

/** Something that the palette can open. */
export interface Entry {
  /** An address of the dashboard, or `#shortcuts` for the list of shortcuts. */
  readonly to: string;
  readonly label: string;
  /** Beside the label: the parent of a chapter, the beginning of a key. */
  readonly detail?: string;
  readonly icon: IconName;
}

export interface Group {
  readonly title: string;
  readonly entries: readonly Entry[];
}

/** Whether each word of the text begins a word of the entry, whatever the case and the accents. */
export function matches({ label, detail = '' }: Entry, text: string): boolean {
  const words = wordsOf(`${label} ${detail}`);
  return wordsOf(text).every((typed) => words.some((word) => word.startsWith(typed)));
}

/** Fewer letters than this name nothing by themselves. */
const NAMING_LETTERS = 3;

/** Whether a word of the text, of three letters or more, begins a word of the label. */
export function beginsAny(label: string, text: string): boolean {
  const words = wordsOf(label);
  return wordsOf(text).some((typed) => typed.length >= NAMING_LETTERS && words.some((word) => word.startsWith(typed)));
}

function wordsOf(text: string): string[] {
  const plain = text.normalize('NFKD').replace(/\p{Mark}/gu, '');
  return plain.toLowerCase().match(/[\p{Letter}\p{Number}_]+/gu) ?? [];
}
