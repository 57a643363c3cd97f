import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { BaseSequencer, type TestSpecification } from 'vitest/node';

const ROOT = join(import.meta.dirname, '../..');

/** The files that take longest, longest first. CI prints those of each run. */
const LONGEST = [
  'test/browser/dashboard.test.ts',
  'test/browser/pages.test.ts',
  'test/browser/player/player.test.ts',
  'test/browser/support.test.ts',
  'test/browser/videos.test.ts',
  'test/browser/corpus/corpus.test.ts',
  'test/faults/backups/ownDatabase.test.ts',
  'test/media/worker/chunks.test.ts',
  'test/media/hostile/corpus.test.ts',
  'test/browser/developerPages.test.ts',
  'test/faults/worker.test.ts',
  'test/faults/backups/drill.test.ts',
].map((path) => {
  const file = join(ROOT, path);
  // One with another name would be left to the end.
  if (!existsSync(file)) throw new Error(`test/support/longestFirst.ts names ${path}, which does not exist`);
  return file;
});

/** Folders whose files take minutes rather than seconds. */
const LONG = /\/test\/(?:browser|journey|faults)\//;

/**
 * Runs long files first, so that none of them is left to one worker while the others are idle. By default vitest goes
 * by earlier durations, which a fresh clone does not have, and then by size, but the largest files are not the longest.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rankOf = ({ moduleId }: TestSpecification): number => {
      const place = LONGEST.indexOf(moduleId);
      if (place !== -1) return place;
      return LONGEST.length + (LONG.test(moduleId) ? 0 : 1);
    };
    // The others stay in vitest's order, by project, so that a process runs many files of one.
    return sorted.toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}
