import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Folders whose files take minutes rather than seconds. */
const LONG = /\/test\/(?:browser|journey|faults)\//;

/**
 * Long files first, so that none of them is left to a single worker while the others have nothing more to do. By itself
 * vitest goes by what a run before took, which a fresh clone does not know, and then by size: the longest are short.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = (file: TestSpecification): boolean => LONG.test(file.moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
