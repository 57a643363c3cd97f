import { showToast } from '../parts/toasts.js';

/** The service's maximum per request. */
const BATCH = 100;

/**
 * Runs an action for many ids, as many at once as the service takes. If one request is not enough, a toast says how far it
 * is.
 *
 * @param progress the words for so many of all
 */
export async function inBatches(
  ids: readonly string[],
  progress: (done: number, total: number) => string,
  act: (some: string[]) => Promise<unknown>,
): Promise<void> {
  let close: (() => void) | undefined;
  try {
    for (let at = 0; at < ids.length; at += BATCH) {
      if (ids.length > BATCH) {
        close?.();
        close = showToast({ title: progress(at, ids.length), durationMs: 60_000 });
      }
      await act(ids.slice(at, at + BATCH));
    }
  } finally {
    close?.();
  }
}
