import { lazy } from 'react';

/** The longest wait for a page that is never idle, such as one with a moving picture. */
const MAX_WAIT_MS = 1000;

/** Pauses between requests of code that did not arrive. The last failure usually means that a new version was released. */
const RETRY_MS = [1000, 3000];

/**
 * As `lazy`, for what can appear later: its code is requested when the page has painted and is idle. A
 * connection that is lost for a moment must not replace a page that works, so the request is repeated.
 */
export const lazyLater: typeof lazy = (load) =>
  lazy(async () => {
    await idle();
    for (const ms of RETRY_MS) {
      try {
        return await load();
      } catch {
        await new Promise((resolve) => setTimeout(resolve, ms));
      }
    }
    return load();
  });

async function idle(): Promise<void> {
  // Hidden pages do not paint.
  if (document.hidden) return;
  await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  // Safari has no such call.
  if (typeof requestIdleCallback === 'undefined') return;
  await new Promise((resolve) => requestIdleCallback(resolve, { timeout: MAX_WAIT_MS }));
}
