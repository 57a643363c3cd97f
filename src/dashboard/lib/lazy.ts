import { lazy as reactLazy } from 'react';
import { loadAgain } from './loadAgain.js';

/** As React's, which keeps the failure of one lost request for good, and breaks the page with it: see `loadAgain`. */
export const lazy: typeof reactLazy = (load) => reactLazy(() => loadAgain(load));

/** The longest wait for a page that is never idle, such as one with a moving picture. */
const MAX_WAIT_MS = 1000;

/** As `lazy`, for what can appear later: its code is requested when the page has painted and is idle. */
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
