import { expect, test } from 'vitest';

import { latestStartSeconds, stallWatch } from '../../../src/adapters/transcode/sandbox/stallWatch.js';

/** The seconds until an encode counts as stalled, after `writtenSeconds` of output. */
function fairness(writtenSeconds: number, startSeconds: number): number {
  const watch = stallWatch(() => writtenSeconds, startSeconds);
  let seconds = 0;
  while (watch() === null) seconds += 1;
  return seconds;
}

test('a stalled encode is given up after three minutes, or later if its last track starts late', () => {
  expect(fairness(5, 0)).toBe(180);
  expect(fairness(0, 0)).toBe(180);
  // A machine that takes ten seconds for each second reports nothing for 550 seconds.
  expect(fairness(0, 55)).toBe(180 + 550);
  expect(fairness(5, 55)).toBe(180);
});

test('latestStartSeconds is the start of the last track', () => {
  const at = (startsAfterMs: number) => ({ startsAfterMs }) as never;
  expect(latestStartSeconds({ video: at(20), audios: [at(0), at(55_000)] })).toBe(55);
  expect(latestStartSeconds({ video: null, audios: [] })).toBe(0);
});
