import { mergeConfig } from 'vitest/config';

import { LongestFirst } from '../support/longestFirst.js';
import config from '../vitest.config.js';

/** One failure is enough to kill a mutant: the short files are asked first. */
class ShortestFirst extends LongestFirst {
  override async sort(...[files]: Parameters<LongestFirst['sort']>): ReturnType<LongestFirst['sort']> {
    return (await super.sort(files)).toReversed();
  }
}

export default mergeConfig(config, {
  test: { bail: 1, maxWorkers: 1, sequence: { sequencer: ShortestFirst } },
});
