import { setImmediate as othersTurn } from 'node:timers/promises';

/** What others may have to wait at a time. */
const TURN_MS = 5;

/** Work in steps, in one go. */
export function atOnce<Result>(steps: Generator<void, Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** The same in short turns, so that everybody else's requests are answered meanwhile. */
export async function inTurns<Result>(steps: Generator<void, Result>): Promise<Result> {
  let begunAtMs = performance.now();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() - begunAtMs < TURN_MS) continue;
    await othersTurn();
    begunAtMs = performance.now();
  }
}
