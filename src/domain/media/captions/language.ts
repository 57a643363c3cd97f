import { AppError } from '../../../errors.js';
import { checkedLine } from '../../../readableText.js';
import { CAPTION_LIMITS } from './cue.js';

const UNDETERMINED = 'und';

/** Canonicalizes a BCP 47 tag: 'pt-br' becomes 'pt-BR', 'eng' becomes 'en'. @throws INVALID_INPUT */
export function checkedLanguage(language: string): string {
  const tag = canonical(language.trim());
  if (tag === null) {
    throw new AppError('INVALID_INPUT', 'A language is a tag of BCP 47, such as en, hi or pt-BR.');
  }
  return tag;
}

/** The language a file gives for a track; 'und' if it is missing or nonsense. Each result has a `languageName`. */
export function languageOf(said: string | null): string {
  const tag = canonical(said ?? '');
  return tag === null || tag.startsWith(`${UNDETERMINED}-`) ? UNDETERMINED : tag;
}

/** One line, trimmed. @throws INVALID_INPUT */
export function checkedLabel(label: string): string {
  return checkedLine('A label', label, { min: 1, max: CAPTION_LIMITS.labelCharacters });
}

/** A language's own name for itself, capitalized: 'Deutsch'. */
export function languageName(tag: string): string {
  if (tag === UNDETERMINED) return 'Subtitles';
  const name = ownName(tag);
  return name.charAt(0).toLocaleUpperCase(tag) + name.slice(1);
}

/** The wanted label if it is free, otherwise 'English 2', 'English 3' … */
export function freeLabel(wanted: string, taken: readonly { readonly label: string }[]): string {
  const labels = new Set(taken.map(({ label }) => label));
  let label = wanted;
  for (let count = 2; labels.has(label); count += 1) label = `${wanted} ${count}`;
  return label;
}

/** Falls back to the tag: DisplayNames throws at extensions (en-x-foo), among other things. */
function ownName(tag: string): string {
  try {
    const { baseName } = new Intl.Locale(tag);
    return new Intl.DisplayNames([baseName, 'en'], { type: 'language' }).of(baseName) ?? tag;
  } catch {
    return tag;
  }
}

function canonical(tag: string): string | null {
  if (tag === '' || tag.length > CAPTION_LIMITS.languageCharacters) return null;
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? null;
  } catch {
    return null;
  }
}
