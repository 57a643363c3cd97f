import { setTimeout as delay } from 'node:timers/promises';

/** Waits until the work is done, or this long. The work itself is not ended. */
export async function waitAtMost(ms: number, work: Promise<unknown>): Promise<void> {
  const done = new AbortController();
  const late = delay(ms, undefined, { signal: done.signal }).catch(() => undefined);
  await Promise.race([work, late]).finally(() => done.abort());
}
