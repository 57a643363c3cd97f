import { useSyncExternalStore } from 'react';

/**
 * Whether the service responds, as far as this page knows: every request reports it, and while it does not, this module
 * polls.
 */
const RETRY_MS = 2500;

let lost = false;
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();
const returns = new Set<() => void>();

function set(next: boolean): void {
  if (next === lost) return;
  lost = next;
  for (const listener of listeners) listener();
  if (lost) schedule();
  else for (const onReturn of returns) onReturn();
}

function schedule(): void {
  clearTimeout(timer);
  timer = setTimeout(() => void probe(), RETRY_MS);
}

async function probe(): Promise<void> {
  try {
    const response = await fetch('/healthz', { cache: 'no-store' });
    if (response.ok) return set(false);
  } catch {
    // Still no response.
  }
  schedule();
}

export const connection = {
  reportLost: () => set(true),
  reportResponse: () => set(false),
  /** Runs each time the service is back. Returns a function that stops that. */
  onReturn(run: () => void): () => void {
    returns.add(run);
    return () => returns.delete(run);
  },
};

addEventListener('offline', () => set(true));
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
