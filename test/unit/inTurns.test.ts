import { expect, it } from 'vitest';

import { atOnce, inTurns } from '../../src/domain/shared/inTurns.js';

/** Yields until the condition holds. */
function* until(isOver: () => boolean): Generator<void, string> {
  while (!isOver()) yield;
  return 'done';
}

it('inTurns yields to other work between steps', async () => {
  let others = 0;
  const other = setInterval(() => (others += 1), 1);
  expect(await inTurns(until(() => others > 2))).toBe('done');
  clearInterval(other);
});

it('atOnce runs all steps without yielding', () => {
  let steps = 0;
  expect(atOnce(until(() => (steps += 1) > 100))).toBe('done');
});

it('both fail if a step fails', async () => {
  // oxlint-disable-next-line require-yield
  const failing = function* (): Generator<void, string> {
    throw new Error('no captions');
  };
  await expect(inTurns(failing())).rejects.toThrow('no captions');
  expect(() => atOnce(failing())).toThrow('no captions');
});
