import { AppError } from '../../../errors.js';
import { checkedLine, readableLine } from '../../../readableText.js';
import { CAPTION_LIMITS } from './cue.js';

/** Where a part of a video begins, in whole milliseconds, and what it is called. */
export interface Chapter {
  readonly startMs: number;
  readonly title: string;
  /** Out of the uploaded video, or given by its owner; missing where that was not kept yet. */
  readonly origin?: 'source' | 'upload';
}

/**
 * Chapters as an owner gives them, by their beginning.
 * @param durationMs of the video; null where it is not known yet
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

/** An owner's chapters with where each comes from: one that is given back as it stands was not made by that. */
export function withOrigins(given: readonly Chapter[], before: readonly Chapter[]): Chapter[] {
  return given.map((chapter) => {
    const same = before.find(({ startMs, title }) => startMs === chapter.startMs && title === chapter.title);
    return same ?? { ...chapter, origin: 'upload' };
  });
}

/** Chapters as a file has them: what cannot be used is left out, titles are cut, missing ones are counted. */
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

/** One line of at most so many characters, whatever a file holds there. */
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
