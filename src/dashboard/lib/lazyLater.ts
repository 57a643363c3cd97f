import { lazy } from 'react';

/** A page that never rests, such as one with a moving picture, waits no longer than this. */
const MAX_WAIT_MS = 1000;

/** As `lazy`, for what nobody needs at once: its code is requested when the page has painted and has nothing to do. */
export const lazyLater: typeof lazy = (load) =>
  lazy(async () => {
    await idle();
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
