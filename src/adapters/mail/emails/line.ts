import { escapeHtml } from '../../../escapeHtml.js';

/** Text of an email: our words, and values that people or other services chose. */
export type Line = readonly (string | { readonly value: string })[];

const MAX_VALUE_CHARACTERS = 200;
/** The most that is looked at: also a bound for "characters" made of endless marks. */
const MAX_VALUE_LENGTH = 1_000;
const CHARACTERS = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Line breaks and controls would add lines to an email or headers to a message. */
const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;
/** Marks of direction would reorder our words around a value. */
const DIRECTION_MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;
const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** Writes a line: what is interpolated is a value, and is cleaned, cut and escaped as such. */
export function say(words: TemplateStringsArray, ...values: readonly (string | number)[]): Line {
  return words.flatMap((word, index) => {
    const value = values[index];
    return value === undefined ? [word] : [word, { value: cleaned(String(value)) }];
  });
}

/** One readable line of at most 200 characters. */
export function cleaned(value: string): string {
  const line = value
    .slice(0, MAX_VALUE_LENGTH)
    .toWellFormed()
    .replaceAll(CONTROLS, ' ')
    .replaceAll(DIRECTION_MARKS, '')
    .trim();
  const shown = first(MAX_VALUE_CHARACTERS, line);
  return shown === line && value.length <= MAX_VALUE_LENGTH ? line : `${shown.trimEnd()}…`;
}

/** A subject: plain, and short enough for lists of emails. */
export function subjectOf(line: Line): string {
  return line.map((piece) => (typeof piece === 'string' ? piece : shortened(piece.value))).join('');
}

export function textOf(line: Line): string {
  return line.map((piece) => (typeof piece === 'string' ? piece : isolated(piece.value))).join('');
}

export function htmlOf(line: Line): string {
  return line
    .map((piece) => (typeof piece === 'string' ? escapeHtml(piece) : `<bdi>${escapeHtml(piece.value)}</bdi>`))
    .join('');
}

function shortened(value: string): string {
  const shown = first(60, value);
  return shown === value ? value : `${shown.trimEnd()}…`;
}

/** The first characters, as readers count them: an emoji of several parts is one. */
function first(count: number, text: string): string {
  let end = 0;
  let left = count;
  for (const { index, segment } of CHARACTERS.segment(text)) {
    if (left === 0) break;
    left -= 1;
    end = index + segment.length;
  }
  return text.slice(0, end);
}

/** Keeps a value that is written from right to left apart from the words around it, as `<bdi>` does in HTML. */
function isolated(value: string): string {
  return RIGHT_TO_LEFT.test(value) ? `\u2068${value}\u2069` : value;
}
