import { AppError } from '../../../errors.js';
import { checkedLine, readableLine } from '../../../readableText.js';
import { CAPTION_LIMITS } from './cue.js';

/** The beginning of a chapter, in whole milliseconds, and its title. */
export interface Chapter {
  readonly startMs: number;
  readonly title: string;
  /** From the source, or from the owner; missing for chapters older than this field. */
  readonly origin?: 'source' | 'upload';
}

/**
 * Validates an owner's chapters and sorts them by start.
 * @param durationMs of the video; null if not known yet
 * @throws INVALID_INPUT
 */
export function checkedChapters(
  given: readonly { readonly startSeconds: number; readonly title: string }[],
  durationMs: number | null,
): Chapter[] {
  if (given.length > CAPTION_LIMITS.chapters) {
    throw invalid(`A video has at most ${CAPTION_LIMITS.chapters} chapters.`);
  }
  const chapters = given
    .map(({ startSeconds, title }) => ({ startMs: checkedStart(startSeconds, durationMs), title: checkedTitle(title) }))
    .toSorted((a, b) => a.startMs - b.startMs);
  if (chapters.some(({ startMs }, index) => startMs === chapters[index - 1]?.startMs)) {
    throw invalid('Two chapters begin at the same moment.');
  }
  return chapters;
}

/** Adds the origin to an owner's chapters: a chapter that is sent back unchanged keeps its origin. */
export function withOrigins(given: readonly Chapter[], before: readonly Chapter[]): Chapter[] {
  return given.map((chapter) => {
    const same = before.find(({ startMs, title }) => startMs === chapter.startMs && title === chapter.title);
    return same ?? { ...chapter, origin: 'upload' };
  });
}

/** Cleans the chapters of a source: drops unusable ones, shortens titles, and numbers untitled ones. */
export function usableChapters(found: readonly Chapter[], durationMs: number): Chapter[] {
  const byStart = new Map<number, string>();
  for (const { startMs, title } of found) {
    const start = Math.max(0, Math.round(startMs));
    if (!Number.isSafeInteger(start) || start >= durationMs || byStart.has(start)) continue;
    byStart.set(start, printable(title, CAPTION_LIMITS.chapterTitleCharacters));
  }
  return [...byStart]
    .toSorted(([a], [b]) => a - b)
    .slice(0, CAPTION_LIMITS.chapters)
    .map(([startMs, title], index) => ({ startMs, title: title || `Chapter ${index + 1}` }));
}

/** Turns arbitrary text of a file into one line of limited length. */
export function printable(text: string, maxCharacters: number): string {
  const line = readableLine(text.replaceAll('\uFFFD', ' '));
  return Array.from(line).slice(0, maxCharacters).join('').trim();
}

function checkedStart(startSeconds: number, durationMs: number | null): number {
  const startMs = Math.round(startSeconds * 1_000);
  if (!Number.isSafeInteger(startMs) || startMs < 0) throw invalid('A chapter begins at a second of 0 or more.');
  if (durationMs !== null && startMs >= durationMs) throw invalid('A chapter begins before the video ends.');
  return startMs;
}

function checkedTitle(title: string): string {
  return checkedLine('A chapter’s title', title, { min: 1, max: CAPTION_LIMITS.chapterTitleCharacters });
}

function invalid(message: string): AppError {
  return new AppError('INVALID_INPUT', message);
}
