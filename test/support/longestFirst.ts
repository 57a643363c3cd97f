import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Folders whose files take minutes rather than seconds. */
const LONG = /\/test\/(?:browser|journey|faults)\//;

/**
 * Runs long files first, so that none of them is left to one worker while the others are idle. By default vitest goes
 * by earlier durations, which a fresh clone does not have, and then by size, but the largest files are not the longest.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = (file: TestSpecification): boolean => LONG.test(file.moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
