import { setTimeout as delay } from 'node:timers/promises';

/** Long for who asks as fast as it is answered, and short for a person. */
const DELAY_MS = 1_000;
/** Beyond so many at a time, refusals are sent at once. */
const MAX_WAITING = 1_000;

/** Who asks beyond a limit is told late: then asking again and again from one connection costs the service nothing. */
export class LateRefusals {
  #waiting = 0;

  async wait(): Promise<void> {
    if (this.#waiting >= MAX_WAITING) return;
    this.#waiting += 1;
    await delay(DELAY_MS);
    this.#waiting -= 1;
  }
}
