import { expect, it } from 'vitest';

import { atOnce, inTurns } from '../../src/domain/shared/inTurns.js';

/** As many steps as it takes until somebody else had a turn. */
function* until(isOver: () => boolean): Generator<void, string> {
  while (!isOver()) yield;
  return 'done';
}

it('lets others have a turn while there is work', async () => {
  let others = 0;
  const other = setInterval(() => (others += 1), 1);
  expect(await inTurns(until(() => others > 2))).toBe('done');
  clearInterval(other);
});

it('does the same in one go', () => {
  let steps = 0;
  expect(atOnce(until(() => (steps += 1) > 100))).toBe('done');
});

it('fails as its steps fail', async () => {
  // oxlint-disable-next-line require-yield
  const failing = function* (): Generator<void, string> {
    throw new Error('no captions');
  };
  await expect(inTurns(failing())).rejects.toThrow('no captions');
  expect(() => atOnce(failing())).toThrow('no captions');
});
