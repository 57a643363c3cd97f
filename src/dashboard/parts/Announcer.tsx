import { VisuallyHidden } from '@mantine/core';
import { useSyncExternalStore } from 'react';

let spoken = '';
const listeners = new Set<() => void>();

/** Announces `text` to screen readers (politely), on any page. */
export function announce(text: string): void {
  spoken = text;
  for (const listener of listeners) listener();
}

export function Announcer() {
  const text = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => spoken,
  );
  return (
    <VisuallyHidden role="status" aria-live="polite">
      {text}
    </VisuallyHidden>
  );
}
