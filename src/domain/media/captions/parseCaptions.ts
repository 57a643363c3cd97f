import { AppError } from '../../../errors.js';
import { atOnce } from '../../shared/inTurns.js';
import { CAPTION_LIMITS, type Cue } from './cue.js';
import { cleanCueText } from './cueText.js';

const TIME = String.raw`(?:(\d{1,4}):)?([0-5]?\d):([0-5]\d)[.,](\d{1,3})`;
const TIMING = new RegExp(String.raw`^\s*${TIME}\s*-->\s*${TIME}(?:\s+(.*))?$`);
/** What means to be times, be they readable or not; `a --> b` is text. */
const TIMING_OF_A_KIND = /^[\s\d:.,-]+-->/;
const HEADER = /^WEBVTT(?:[ \t].*)?$/;
/** Blocks of WebVTT that are no cues. Styles and regions could reach outside of the cue's own line. */
const NOT_A_CUE = /^(?:NOTE|STYLE|REGION)(?:[ \t].*)?$/;
/** Of each setting the values that WebVTT knows; others, such as regions, are left out. */
const SETTING =
  /^(?:vertical:(?:rl|lr)|line:-?\d{1,3}(?:\.\d{1,3})?%?(?:,(?:start|center|end))?|position:\d{1,3}(?:\.\d{1,3})?%(?:,(?:line-left|center|line-right))?|size:\d{1,3}(?:\.\d{1,3})?%|align:(?:start|center|end|left|right|middle))$/;
/** Control characters besides tab, halves of surrogate pairs, and what a decoder puts where bytes were no UTF-8. */
const UNREADABLE = /[^\P{Cc}\t]|\p{Cs}|\ufffd/u;

export interface ParseOptions {
  /** Reads what can be read: a cue that breaks a rule is left out by itself, and empty lines may stand inside cues. */
  readonly isLenient?: boolean;
}

interface Block {
  /** Counted from 1. */
  readonly line: number;
  readonly lines: string[];
}

/**
 * Reads an SRT or WebVTT file, told apart by its first line.
 *
 * @param source text that was decoded from UTF-8; a byte order mark is fine
 * @returns at least one cue, by start; those that start together in the order of the file
 * @throws INVALID_INPUT that names the line. Leniently, only where a limit is passed or nothing in it is of use.
 */
export function parseCaptions(source: string, options: ParseOptions = {}): Cue[] {
  return atOnce(readCaptions(source, options));
}

/** The same cue by cue. */
export function* readCaptions(source: string, { isLenient = false }: ParseOptions = {}): Generator<void, Cue[]> {
  if (Buffer.byteLength(source) > CAPTION_LIMITS.fileBytes) {
    throw invalid(`A caption file has at most ${CAPTION_LIMITS.fileBytes} bytes.`);
  }
  const lines = source.replace(/^\ufeff/, '').split(/\r\n|\n|\r/);
  if (!isLenient) yield* refuseUnreadable(lines);
  const isVtt = HEADER.test(lines[0] ?? '');
  const blocks = blocksOf(lines, isVtt);
  const cues: Cue[] = [];
  for (const block of isLenient ? joined(blocks) : blocks) {
    yield;
    const cue = isLenient ? usableCueOf(block, isVtt) : cueOf(block, isVtt);
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

/** Each cue with what stands below it, up to the next one. An empty line is where its text has one. */
function* joined(blocks: Iterable<Block>): Generator<Block> {
  let cue: Block | null = null;
  for (const block of blocks) {
    if (block.lines.slice(0, 2).some((line) => TIMING_OF_A_KIND.test(line))) {
      if (cue !== null) yield cue;
      cue = block;
    } else if (cue !== null && !NOT_A_CUE.test(block.lines[0] ?? '')) {
      // One by one: there can be more of them than a call takes arguments.
      for (const line of block.lines) cue.lines.push(line);
    }
  }
  if (cue !== null) yield cue;
}

function usableCueOf(block: Block, isVtt: boolean): Cue | null {
  try {
    atOnce(refuseUnreadable(block.lines, block.line));
    return cueOf(block, isVtt);
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

function* refuseUnreadable(lines: readonly string[], firstLine = 1): Generator<void, void> {
  for (const [at, line] of lines.entries()) {
    if (!UNREADABLE.test(line)) yield;
    else throw invalid('There is a character that is no text. Save the file as UTF-8.', firstLine + at);
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
