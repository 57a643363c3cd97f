import { setImmediate as othersTurn } from 'node:timers/promises';

/** How long one turn may block other requests. */
const TURN_MS = 5;

/** Runs all steps in one go. */
export function atOnce<Result>(steps: Generator<void, Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Runs the steps in short turns, so that the process can answer other requests in between. */
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
