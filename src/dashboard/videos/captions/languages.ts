import { words } from '#words/captions.js';

/** Common languages; any other can be found by its tag. */
const OFFERED =
  'af am ar as az be bg bn bs ca cs cy da de el en en-GB en-US es es-419 et eu fa fi fil fr fr-CA ga gl gu he hi hr hu hy id is it ja ka kk km kn ko lo lt lv mk ml mn mr ms my nb ne nl nn or pa pl ps pt pt-BR pt-PT ro ru sd si sk sl sq sr sv sw ta te th tr uk ur uz vi yue zh-Hans zh-Hant zu'.split(
    ' ',
  );
const UNKNOWN = 'und';
const MAX_LABEL_CHARACTERS = 80;

const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });

/** "Brazilian Portuguese"; the tag itself where it has no name. */
export function showLanguage(tag: string): string {
  return tag === UNKNOWN ? words.languages.unknownLanguage : (nameOf(tag) ?? tag);
}

export interface LanguageOption {
  readonly value: string;
  readonly label: string;
}

/** Sorted by name. `more` are further tags to include, such as the current one. */
export function languageOptions(more: readonly (string | null)[]): LanguageOption[] {
  const tags = new Set([...OFFERED, ...more.filter((tag) => tag !== null)]);
  return [...tags]
    .map((value) => ({ value, label: showLanguage(value) }))
    .toSorted((a, b) => a.label.localeCompare(b.label));
}

/** The tag of a typed language. Browsers do not have names for all of them. */
export function languageTyped(text: string): string | null {
  return /^[a-z]{2,3}(?:-|$)/i.test(text.trim()) ? canonical(text.trim()) : null;
}

/** Recognizes common file names: "video.pt-BR.srt", "video_en.vtt", "hi.srt". */
export function languageInName(fileName: string): string | null {
  const [, tag = ''] = /(?:^|[._\s])([a-z]{2,3}(?:-[a-z\d]{2,4})?)\.[a-z]+$/i.exec(fileName) ?? [];
  const found = languageTyped(tag);
  return found !== null && nameOf(found) !== undefined ? found : null;
}

/** The default label in menus: the language's own name, and whom the track is for. */
export function labelFor(
  tag: string,
  { isForced, isSdh }: { readonly isForced: boolean; readonly isSdh: boolean },
  taken: readonly string[],
): string {
  const own = ownName(tag);
  const purposes = [...(isForced ? ['forced'] : []), ...(isSdh ? ['SDH'] : [])];
  const name = own.charAt(0).toLocaleUpperCase(tag) + own.slice(1);
  const wanted = purposes.length === 0 ? name : `${name} (${purposes.join(', ')})`;
  let label = wanted;
  for (let count = 2; taken.includes(label); count += 1) label = `${wanted} ${count}`;
  return label.slice(0, MAX_LABEL_CHARACTERS);
}

/** The language's own name, or the tag if it has none: DisplayNames throws for extensions, such as en-x-foo. */
function ownName(tag: string): string {
  try {
    const { baseName } = new Intl.Locale(tag);
    return new Intl.DisplayNames([baseName, 'en'], { type: 'language' }).of(baseName) ?? tag;
  } catch {
    return tag;
  }
}

function nameOf(tag: string): string | undefined {
  try {
    return names.of(tag);
  } catch {
    return undefined;
  }
}

function canonical(tag: string): string | null {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? null;
  } catch {
    return null;
  }
}
