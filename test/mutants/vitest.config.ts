import { mergeConfig } from 'vitest/config';

import { LongestFirst } from '../support/longestFirst.js';
import config from '../vitest.config.js';

/** One failure is enough to kill a mutant, so short files run first. */
class ShortestFirst extends LongestFirst {
  override async sort(...[files]: Parameters<LongestFirst['sort']>): ReturnType<LongestFirst['sort']> {
    return (await super.sort(files)).toReversed();
  }
}

export default mergeConfig(config, {
  test: { bail: 1, maxWorkers: 1, sequence: { sequencer: ShortestFirst } },
});
