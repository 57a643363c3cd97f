import { useSyncExternalStore } from 'react';

/** Whether the stream of changes is open; while it is not, the page polls. */
let open = false;
const listeners = new Set<() => void>();

export function reportLive(next: boolean): void {
  if (next === open) return;
  open = next;
  for (const listener of listeners) listener();
}

export function useLiveOpen(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => open,
  );
}
