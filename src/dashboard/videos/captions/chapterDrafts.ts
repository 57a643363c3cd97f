import { words } from '#words/captions.js';
import type { ChapterInput } from '../../generated/graphql.js';
import { showTimecode, parseTimecode } from './timecode.js';

export const MOST_CHAPTERS = 200;

/** A chapter while it is being edited. */
export interface ChapterDraft {
  readonly row: number;
  readonly start: string;
  readonly title: string;
}

export interface ChapterFault {
  readonly start?: string;
  readonly title?: string;
}

/** Why each row cannot be saved; empty if all can. */
export function faultsOf(drafts: readonly ChapterDraft[], durationSeconds: number | null): Map<number, ChapterFault> {
  const starts = new Set<number>();
  const faults = new Map<number, ChapterFault>();
  for (const { row, start, title } of drafts) {
    const seconds = parseTimecode(start);
    const startFault = faultOfStart(seconds, starts, durationSeconds);
    const titleFault = title.trim() === '' ? words.chapterDrafts.enterTitle : null;
    if (seconds !== null) starts.add(seconds);
    if (startFault === null && titleFault === null) continue;
    faults.set(row, {
      ...(startFault === null ? {} : { start: startFault }),
      ...(titleFault === null ? {} : { title: titleFault }),
    });
  }
  return faults;
}

/** The chapters of rows without faults. */
export function chaptersOf(drafts: readonly ChapterDraft[]): ChapterInput[] {
  return drafts.map(({ start, title }) => ({ startSeconds: parseTimecode(start) ?? 0, title: title.trim() }));
}

function faultOfStart(
  seconds: number | null,
  others: ReadonlySet<number>,
  durationSeconds: number | null,
): string | null {
  if (seconds === null) return words.chapterDrafts.enterTimeSuchAs;
  if (others.has(seconds)) return words.chapterDrafts.anotherChapterStartsHere;
  if (durationSeconds !== null && seconds >= durationSeconds)
    return words.chapterDrafts.videoEndsAt(showTimecode(durationSeconds));
  return null;
}
