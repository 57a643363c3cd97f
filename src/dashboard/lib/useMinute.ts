import { useSyncExternalStore } from 'react';

const MINUTE_MS = 60_000;

/** Renders the component again each minute, so that "5 minutes ago" stays true while nothing else changes. */
export function useMinute(): void {
  useSyncExternalStore(subscribe, minute);
}

function subscribe(onMinute: () => void): () => void {
  const timer = setInterval(onMinute, MINUTE_MS);
  return () => clearInterval(timer);
}

function minute(): number {
  return Math.floor(Date.now() / MINUTE_MS);
}
