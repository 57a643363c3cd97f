/** Resolves when the page is visible (at once if it is), or when `signal` aborts. */
export function becomesVisible(signal: AbortSignal): Promise<void> {
  if (!document.hidden || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = new AbortController();
    const settle = (): void => {
      if (document.hidden && !signal.aborted) return;
      done.abort();
      resolve();
    };
    document.addEventListener('visibilitychange', settle, { signal: done.signal });
    signal.addEventListener('abort', settle, { signal: done.signal });
  });
}

/**
 * Aborts once the page is no longer visible: another tab is in front, or the window is minimized. Watches until
 * `ended`.
 */
export function becomesHidden(ended: AbortSignal): AbortSignal {
  const hidden = new AbortController();
  const look = (): void => {
    if (document.hidden) hidden.abort();
  };
  document.addEventListener('visibilitychange', look, { signal: ended });
  look();
  return hidden.signal;
}
