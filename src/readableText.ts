import { AppError } from './errors.js';

/*
 * What text for people may contain. Invisible characters, and characters that change the order of others, let one name
 * pass for another, so they are refused. Scripts and emoji that need joiners keep them where they have an effect.
 */

/** Scripts whose letters change shape next to a joiner. */
const SHAPED = (
  'Arabic Syriac Mongolian Nko Devanagari Bengali Gurmukhi Gujarati Oriya Tamil ' +
  'Telugu Kannada Malayalam Sinhala Khmer Myanmar Tibetan Balinese Javanese'
)
  .split(' ')
  .map((script) => `\\p{Script_Extensions=${script}}`)
  .join('');

/** Scripts that write words without spaces between them. */
const SPACELESS = 'Thai Lao Khmer Myanmar Javanese Balinese Tai_Tham Tai_Le New_Tai_Lue Tai_Viet Cham'
  .split(' ')
  .map((script) => `\\p{Script_Extensions=${script}}`)
  .join('');

/** Invisible characters that have an effect. They are removed before the text is checked. */
const AT_WORK = new RegExp(
  [
    // One joiner or non-joiner after a letter or mark of such a script, as in Persian, Hindi and Malayalam.
    `(?<=[[${SHAPED}]&&[\\p{L}\\p{M}]])[\\u200C\\u200D](?![\\u200C\\u200D])`,
    // One, between two letters, where a word of such a script ends and a line may break.
    `(?<=[[${SPACELESS}]&&[\\p{L}\\p{M}]])\\u200B(?=[[${SPACELESS}]&&\\p{L}])`,
    // The joiner of emoji such as families and professions.
    '(?<=\\p{Extended_Pictographic}[\\u{1F3FB}-\\u{1F3FF}]?\\uFE0F?)\\u200D(?=\\p{Extended_Pictographic})',
    // Text or color style of an emoji, including keycaps.
    '(?<=\\p{Emoji_Presentation}|\\p{Extended_Pictographic})[\\uFE0E\\uFE0F]|(?<=[0-9#*])\\uFE0F(?=\\u20E3)',
    // A variant of a Chinese character, as in Japanese names.
    '(?<=\\p{Script=Han})[\\uFE00-\\uFE02\\u{E0100}-\\u{E01EF}]',
    '(?<=\\p{Script=Mongolian})[\\u180B-\\u180D\\u180F]',
    // The flags of England, Scotland and Wales consist of tags.
    '(?<=\\u{1F3F4})\\u{E0067}\\u{E0062}(?:\\u{E0065}\\u{E006E}\\u{E0067}|\\u{E0073}\\u{E0063}\\u{E0074}|\\u{E0077}\\u{E006C}\\u{E0073})\\u{E007F}',
    // Arabic and Kaithi number signs are visible, around what follows.
    '[\\u0600-\\u0605\\u06DD\\u070F\\u0890\\u0891\\u08E2\\u{110BD}\\u{110CD}]',
  ].join('|'),
  'gv',
);

/**
 * Control characters, lone surrogates, format characters (including bidi and tags), blank characters, private and
 * unassigned code points, and invisible line separators.
 */
const UNREADABLE_ALL = /[\p{Cc}\p{Cs}\p{Cf}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800]/gu;
const LINE_BREAKS_AND_TABS = /[\t\n\r]/g;

export interface TextLimits {
  readonly min?: number;
  /** In characters as PostgreSQL counts them. */
  readonly max: number;
}

/**
 * Returns one line of text, trimmed and in NFC.
 *
 * @param what starts the error message, such as `A title`
 * @throws INVALID_INPUT
 */
export function checkedLine(what: string, text: string, limits: TextLimits): string {
  return checked(what, text.normalize('NFC').trim(), limits, false);
}

/** Like `checkedLine`, but for text of several lines, and not trimmed. @throws INVALID_INPUT */
export function checkedLines(what: string, text: string, limits: TextLimits): string {
  return checked(what, text.normalize('NFC'), limits, true);
}

/**
 * Cleans text from a file, where nobody can correct it: unreadable characters become spaces. One line, trimmed, in
 * NFC.
 */
export function readableLine(text: string): string {
  const normal = text.normalize('NFC');
  // Keeps invisible characters that have an effect, by their positions.
  const kept = new Set<number>();
  for (const { index, 0: found } of normal.matchAll(AT_WORK)) {
    for (let at = index; at < index + found.length; at += 1) kept.add(at);
  }
  return normal
    .replaceAll(UNREADABLE_ALL, (character, index: number) => (kept.has(index) ? character : ' '))
    .replaceAll(/ {2,}/g, ' ')
    .trim();
}

function checked(what: string, text: string, { min = 0, max }: TextLimits, hasLines: boolean): string {
  const unreadable = firstUnreadable(text, hasLines);
  if (unreadable !== null) {
    throw invalid(`${what} cannot hold the invisible or unsupported character ${unreadable}.`);
  }
  const length = Array.from(text).length;
  if (length < min || length > max) {
    const range = min === 0 ? `at most ${max}` : `${min} to ${max}`;
    throw invalid(`${what} has ${range} characters.`);
  }
  return text;
}

/** The unreadable characters of one line, with repetitions. */
export function unreadableCharacters(line: string): string[] {
  return line.normalize('NFC').replaceAll(AT_WORK, '').match(UNREADABLE_ALL) ?? [];
}

/** The code point of the first unreadable character, such as `U+202E`. `null` if there is none. */
function firstUnreadable(text: string, hasLines: boolean): string | null {
  const [first] = unreadableCharacters(hasLines ? text.replaceAll(LINE_BREAKS_AND_TABS, '') : text);
  const found = first?.codePointAt(0);
  return found === undefined ? null : `U+${found.toString(16).toUpperCase().padStart(4, '0')}`;
}

function invalid(message: string): AppError {
  return new AppError('INVALID_INPUT', message);
}
