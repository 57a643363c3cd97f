import { setTimeout as delay } from 'node:timers/promises';

/** Long for a client that retries as soon as it gets a response, and short for a person. */
const DELAY_MS = 1_000;
/** If this many refusals are waiting, further ones are sent at once. */
const MAX_WAITING = 1_000;

/** Delays refusals of callers over a limit, so that retrying in a loop on one connection costs the service nothing. */
export class LateRefusals {
  #waiting = 0;

  async wait(): Promise<void> {
    if (this.#waiting >= MAX_WAITING) return;
    this.#waiting += 1;
    await delay(DELAY_MS);
    this.#waiting -= 1;
  }
}
