import { AppError } from '../../errors.js';
import { CAPTION_LIMITS, type Cue } from './cue.js';
import { cleanCueText } from './cueText.js';

const TIME = String.raw`(?:(\d{1,4}):)?([0-5]?\d):([0-5]\d)[.,](\d{1,3})`;
const TIMING = new RegExp(String.raw`^\s*${TIME}\s*-->\s*${TIME}(?:\s+(.*))?$`);
const HEADER = /^WEBVTT(?:[ \t].*)?$/;
/** Blocks of WebVTT that are no cues. Styles and regions could reach outside of the cue's own line. */
const NOT_A_CUE = /^(?:NOTE|STYLE|REGION)(?:[ \t].*)?$/;
/** Of each setting the values that WebVTT knows; others, such as regions, are left out. */
const SETTING =
  /^(?:vertical:(?:rl|lr)|line:-?\d{1,3}(?:\.\d{1,3})?%?(?:,(?:start|center|end))?|position:\d{1,3}(?:\.\d{1,3})?%(?:,(?:line-left|center|line-right))?|size:\d{1,3}(?:\.\d{1,3})?%|align:(?:start|center|end|left|right|middle))$/;
/** Control characters besides tab, halves of surrogate pairs, and what a decoder puts where bytes were no UTF-8. */
const UNREADABLE = /[^\P{Cc}\t]|\p{Cs}|\ufffd/u;

interface Block {
  /** Counted from 1. */
  readonly line: number;
  readonly lines: readonly string[];
}

/**
 * Reads an SRT or WebVTT file, told apart by its first line.
 *
 * @param source text that was decoded from UTF-8; a byte order mark is fine
 * @returns at least one cue, by start; those that start together in the order of the file
 * @throws INVALID_INPUT that names the line.
 */
export function parseCaptions(source: string): Cue[] {
  if (Buffer.byteLength(source) > CAPTION_LIMITS.fileBytes) {
    throw invalid(`A caption file has at most ${CAPTION_LIMITS.fileBytes} bytes.`);
  }
  const lines = source.replace(/^\ufeff/, '').split(/\r\n|\n|\r/);
  for (const [index, line] of lines.entries()) {
    if (UNREADABLE.test(line))
      throw invalid('There is a character that is no text. Save the file as UTF-8.', index + 1);
  }
  const isVtt = HEADER.test(lines[0] ?? '');
  const cues: Cue[] = [];
  for (const block of blocksOf(lines, isVtt)) {
    const cue = cueOf(block, isVtt);
    if (cue === null) continue;
    if (cues.length === CAPTION_LIMITS.cues) {
      throw invalid(`A caption file has at most ${CAPTION_LIMITS.cues} cues.`, block.line);
    }
    cues.push(cue);
  }
  if (cues.length === 0) throw invalid('There are no captions in this file.');
  return cues.toSorted((a, b) => a.startMs - b.startMs);
}

/** Paragraphs between empty lines; the header of WebVTT is none of them. */
function* blocksOf(lines: readonly string[], isVtt: boolean): Generator<Block> {
  let start = 0;
  for (let end = 0; end <= lines.length; end += 1) {
    if (end < lines.length && (lines[end] ?? '').trim() !== '') continue;
    if (end > start && !(isVtt && start === 0)) yield { line: start + 1, lines: lines.slice(start, end) };
    start = end + 1;
  }
}

function cueOf({ line, lines }: Block, isVtt: boolean): Cue | null {
  const [first = '', second = ''] = lines;
  if (isVtt && NOT_A_CUE.test(first)) return null;
  // A number or a name may stand above the times.
  const at = first.includes('-->') || !second.includes('-->') ? 0 : 1;
  const timing = lines[at] ?? '';
  const match = TIMING.exec(timing);
  const where = line + at;
  if (match === null) {
    throw invalid(
      timing.includes('-->')
        ? 'The times are not readable. They look like 00:01:02,500 --> 00:01:04,000.'
        : 'A line with the times of a caption is missing here.',
      where,
    );
  }
  const startMs = milliseconds(match.slice(1, 5));
  const endMs = milliseconds(match.slice(5, 9));
  if (endMs <= startMs) throw invalid('This caption ends before it begins.', where);
  const body = lines.slice(at + 1);
  const nested = body.findIndex((text) => TIMING.test(text));
  if (nested !== -1) throw invalid('An empty line is missing above this caption.', where + 1 + nested);
  const source = body.join('\n');
  if (source.length > CAPTION_LIMITS.cueCharacters) throw invalid('This caption is too long to be read.', where);
  const text = cleanCueText(source);
  return text === '' ? null : { startMs, endMs, settings: isVtt ? settingsOf(match[9] ?? '') : '', text };
}

function settingsOf(text: string): string {
  const kept = text.split(/\s+/).filter((setting) => SETTING.test(setting));
  // The draft's word for it.
  return kept.map((setting) => setting.replace('align:middle', 'align:center')).join(' ');
}

function milliseconds([hours = '0', minutes = '', seconds = '', fraction = '']: string[]): number {
  return ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000 + Number(fraction.padEnd(3, '0'));
}

function invalid(message: string, line?: number): AppError {
  return line === undefined
    ? new AppError('INVALID_INPUT', message)
    : new AppError('INVALID_INPUT', `Line ${line}: ${message}`, { details: { line: String(line) } });
}
