import { expect, test } from 'vitest';

import { latestStartSeconds, stallWatch } from '../../../src/adapters/transcode/sandbox/stallWatch.js';

/** Seconds until it is taken for a hang, where it had written so much before. */
function fairness(writtenSeconds: number, startSeconds: number): number {
  const watch = stallWatch(() => writtenSeconds, startSeconds);
  let seconds = 0;
  while (watch() === null) seconds += 1;
  return seconds;
}

test('a video is given up that comes no further, later where its last track begins late', () => {
  expect(fairness(5, 0)).toBe(180);
  expect(fairness(0, 0)).toBe(180);
  // On a machine that takes ten seconds for each of them, nothing is told for 550.
  expect(fairness(0, 55)).toBe(180 + 550);
  expect(fairness(5, 55)).toBe(180);
});

test('the last track to begin is the one that is waited for', () => {
  const at = (startsAfterMs: number) => ({ startsAfterMs }) as never;
  expect(latestStartSeconds({ video: at(20), audios: [at(0), at(55_000)] })).toBe(55);
  expect(latestStartSeconds({ video: null, audios: [] })).toBe(0);
});
