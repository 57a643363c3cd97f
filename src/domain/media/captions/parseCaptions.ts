import { AppError } from '../../../errors.js';
import { atOnce } from '../../shared/inTurns.js';
import { CAPTION_LIMITS, type Cue } from './cue.js';
import { cleanCueText } from './cueText.js';

const TIME = String.raw`(?:(\d{1,4}):)?([0-5]?\d):([0-5]\d)[.,](\d{1,3})`;
const TIMING = new RegExp(String.raw`^\s*${TIME}\s*-->\s*${TIME}(?:\s+(.*))?$`);
/** Lines that are meant to be times, readable or not; `a --> b` is text. */
const TIMING_OF_A_KIND = /^[\s\d:.,-]+-->/;
const HEADER = /^WEBVTT(?:[ \t].*)?$/;
/** WebVTT blocks that are not cues. Styles and regions could have effects outside the cue's own line. */
const NOT_A_CUE = /^(?:NOTE|STYLE|REGION)(?:[ \t].*)?$/;
/** The values that WebVTT knows for each setting. Others, such as regions, are dropped. */
const SETTING =
  /^(?:vertical:(?:rl|lr)|line:-?\d{1,3}(?:\.\d{1,3})?%?(?:,(?:start|center|end))?|position:\d{1,3}(?:\.\d{1,3})?%(?:,(?:line-left|center|line-right))?|size:\d{1,3}(?:\.\d{1,3})?%|align:(?:start|center|end|left|right|middle))$/;
/** Control characters except tab, lone surrogates, and the replacement character of bytes that were not UTF-8. */
const UNREADABLE = /[^\P{Cc}\t]|\p{Cs}|\ufffd/u;

export interface ParseOptions {
  /** Reads as much as possible: drops only the cues that break a rule, and allows empty lines inside cues. */
  readonly isLenient?: boolean;
}

interface Block {
  /** Starts at 1. */
  readonly line: number;
  readonly lines: string[];
}

/**
 * Parses an SRT or WebVTT file; the first line tells which.
 *
 * @param source text decoded from UTF-8; may begin with a byte order mark
 * @returns at least one cue, sorted by start; cues with the same start keep the file's order
 * @throws INVALID_INPUT naming the line. If lenient, only if a limit is exceeded or nothing is usable.
 */
export function parseCaptions(source: string, options: ParseOptions = {}): Cue[] {
  return atOnce(readCaptions(source, options));
}

/** Like `parseCaptions`, cue by cue. */
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

/** Paragraphs between empty lines, without the WebVTT header. */
function* blocksOf(lines: readonly string[], isVtt: boolean): Generator<Block> {
  let start = 0;
  for (let end = 0; end <= lines.length; end += 1) {
    if (end < lines.length && (lines[end] ?? '').trim() !== '') continue;
    if (end > start && !(isVtt && start === 0)) yield { line: start + 1, lines: lines.slice(start, end) };
    start = end + 1;
  }
}

/** Joins each cue with the blocks below it, up to the next cue. Such an empty line belongs to the cue's text. */
function* joined(blocks: Iterable<Block>): Generator<Block> {
  let cue: Block | null = null;
  for (const block of blocks) {
    if (block.lines.slice(0, 2).some((line) => TIMING_OF_A_KIND.test(line))) {
      if (cue !== null) yield cue;
      cue = block;
    } else if (cue !== null && !NOT_A_CUE.test(block.lines[0] ?? '')) {
      // One at a time: there may be more lines than a call takes arguments.
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
  // A number or a name may precede the times.
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
  // The name in an old draft of WebVTT.
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
