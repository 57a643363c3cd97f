import { useSyncExternalStore } from 'react';

const MAX_RECENT = 6;

export interface RecentAccount {
  readonly id: string;
  readonly email: string;
  readonly name: string;
}

/** The accounts opened last. In memory only, so that no browser stores whose account was viewed. */
let recent: readonly RecentAccount[] = [];
const listeners = new Set<() => void>();

export function rememberAccount({ id, email, name }: RecentAccount): void {
  if (recent[0]?.id === id) return;
  recent = [{ id, email, name }, ...recent.filter((other) => other.id !== id)].slice(0, MAX_RECENT);
  for (const listener of listeners) listener();
}

export function useRecentAccounts(): readonly RecentAccount[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => recent,
  );
}
