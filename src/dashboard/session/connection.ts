import { useSyncExternalStore } from 'react';

/**
 * Whether the service responds, as far as this page knows: every request reports it, and while it does not, this module
 * polls.
 */
const RETRY_MS = 2500;
const LONGEST_WAIT_MS = 60_000;
/** A request over a connection that is gone may get no response for minutes. */
const PROBE_MS = 10_000;

let lost = false;
/** Whether the service did not respond at all; otherwise, one request failed beside others. */
let isOutage = false;
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

const returns = new Set<() => void>();
let returnTimer: ReturnType<typeof setTimeout> | undefined;
let returnedAtMs = -Infinity;
let waitMs = 0;

function set(next: boolean): void {
  if (next === lost) return;
  lost = next;
  for (const listener of listeners) listener();
  if (lost) return schedule();
  if (isOutage) returnAtOnce();
  else if (returnTimer === undefined) scheduleReturn();
}

/** After an outage, pages are out of date, however often the connection was lost before. */
function returnAtOnce(): void {
  isOutage = false;
  clearTimeout(returnTimer);
  returnTimer = undefined;
  waitMs = RETRY_MS;
  runReturns();
}

/**
 * What runs on a return sends requests. If one of them always fails while others succeed, each return causes the next one:
 * the wait doubles each time.
 */
function scheduleReturn(): void {
  const sinceMs = performance.now() - returnedAtMs;
  waitMs = sinceMs > 2 * waitMs ? RETRY_MS : Math.min(2 * waitMs, LONGEST_WAIT_MS);
  if (sinceMs >= waitMs) return runReturns();
  returnTimer = setTimeout(() => {
    returnTimer = undefined;
    if (!lost) runReturns();
  }, waitMs - sinceMs);
}

function runReturns(): void {
  returnedAtMs = performance.now();
  for (const onReturn of returns) onReturn();
}

function schedule(): void {
  clearTimeout(timer);
  timer = setTimeout(() => void probe(), RETRY_MS);
}

async function probe(): Promise<void> {
  const giveUp = new AbortController();
  const deadline = setTimeout(() => giveUp.abort(), PROBE_MS);
  try {
    const response = await fetch('/healthz', { cache: 'no-store', signal: giveUp.signal });
    if (response.ok) return set(false);
  } catch {
    // Still no response.
  } finally {
    clearTimeout(deadline);
  }
  if (!lost) return;
  isOutage = true;
  schedule();
}

export const connection = {
  reportLost: () => set(true),
  reportResponse: () => set(false),
  /** Runs when the service is back, later if a request was lost just before. Returns a function that stops that. */
  onReturn(run: () => void): () => void {
    returns.add(run);
    return () => returns.delete(run);
  },
};

addEventListener('offline', () => {
  isOutage = true;
  set(true);
});
addEventListener('online', () => void probe());

/** True while the service does not respond. */
export function useConnectionLost(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => lost,
  );
}
