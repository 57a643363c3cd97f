import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { words } from '../../../src/dashboard/words/en/videoStates.js';

const SOURCE = join(import.meta.dirname, '../../../src');

it('the dashboard has words for each step that workers report', () => {
  const files = globSync(['worker/**/*.ts', 'adapters/transcode/**/*.ts', 'domain/media/pipeline/*.sql.ts'], {
    cwd: SOURCE,
  });
  const steps = files.flatMap((file) =>
    [...readFileSync(join(SOURCE, file), 'utf8').matchAll(/\bstep(?:: | = )'(\w+)'/g)].map(([, step]) => step!),
  );
  expect([...new Set(steps)].toSorted()).toEqual(Object.keys(words.processingProgress.steps).toSorted());
});
